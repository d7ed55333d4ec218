/**
 * A line between two parts of the page that moves by pointer and by arrow keys; what a person chose
 * is kept.
 */
import { type KeyboardEvent, type PointerEvent, useState } from "react";

export interface Split {
  readonly size: number;
  readonly least: number;
  readonly most: number;
  set(size: number): void;
}

export function useSplit(
  name: string,
  first: number,
  { least, most }: { least: number; most: number },
): Split {
  const key = `cosimo-split-${name}`;
  const [size, setSize] = useState(() => kept(key) ?? first);
  return {
    size,
    least,
    most,
    set(wanted) {
      const next = Math.round(Math.min(most, Math.max(least, wanted)));
      setSize(next);
      try {
        localStorage.setItem(key, String(next));
      } catch {
        // Sizes are then those of the beginning.
      }
    },
  };
}

function kept(key: string): number | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : Number(text);
  } catch {
    return undefined;
  }
}

interface Props {
  readonly split: Split;
  readonly along: "x" | "y";
  readonly label: string;
  /** What is sized lies behind the line. */
  readonly isBehind?: boolean;
}

export function Splitter({ split, along, label, isBehind = along === "y" }: Props) {
  const sign = isBehind ? -1 : 1;
  const begin = (event: PointerEvent<HTMLElement>): void => {
    const line = event.currentTarget;
    const start = along === "x" ? event.clientX : event.clientY;
    const { size } = split;
    line.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent): void =>
      split.set(size + sign * ((along === "x" ? moved.clientX : moved.clientY) - start));
    const end = (): void => {
      line.removeEventListener("pointermove", move);
      line.removeEventListener("pointerup", end);
    };
    line.addEventListener("pointermove", move);
    line.addEventListener("pointerup", end);
  };
  const press = ({ key }: KeyboardEvent): void => {
    const by = { ArrowRight: 16, ArrowDown: 16, ArrowLeft: -16, ArrowUp: -16 }[key];
    if (by !== undefined) split.set(split.size + sign * by);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line that moves is a separator with a value, which <hr> is not
    <div
      className={`splitter ${along}`}
      role="separator"
      aria-orientation={along === "x" ? "vertical" : "horizontal"}
      aria-label={label}
      aria-valuenow={split.size}
      aria-valuemin={split.least}
      aria-valuemax={split.most}
      tabIndex={0}
      onPointerDown={begin}
      onKeyDown={press}
    />
  );
}
