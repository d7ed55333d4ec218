/**
 * Mouse, touch and keys of a plot page beyond what uPlot brings (drag to zoom, double click):
 * wheel, panning, arrows.
 */
import type { TimeWindow } from "./time-window.ts";

/** Wheel and panning on the drawing area of a panel. */
export function listenToPanel(over: HTMLElement, view: TimeWindow): void {
  over.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        view.pan(event.deltaX / 800);
        return;
      }
      const box = over.getBoundingClientRect();
      const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      const { from, to } = view.span;
      const turn = Math.max(-60, Math.min(60, event.deltaY));
      view.zoom(Math.exp(turn / 250), from + share * (to - from));
    },
    { passive: false },
  );
  over.addEventListener("pointerdown", (event) => {
    if (!isPan(event)) return;
    event.preventDefault();
    const start = event.clientX;
    const { span } = view;
    const width = over.getBoundingClientRect().width;
    const move = (moved: PointerEvent): void => view.pan((start - moved.clientX) / width, span);
    const end = (): void => {
      over.removeEventListener("pointermove", move);
      over.removeEventListener("pointerup", end);
      over.removeEventListener("pointercancel", end);
    };
    over.addEventListener("pointermove", move);
    over.addEventListener("pointerup", end);
    over.addEventListener("pointercancel", end);
    over.setPointerCapture(event.pointerId);
  });
}

/** With shift or the middle button a drag pans, and so does a finger. */
function isPan(event: PointerEvent): boolean {
  return event.shiftKey || event.button === 1 || event.pointerType === "touch";
}

/** Keys of the whole page. @returns the action of a key, if it has one. */
export function keyAction(key: string, view: TimeWindow): (() => void) | undefined {
  switch (key) {
    case "+":
      return () => view.zoom(0.5);
    case "-":
      return () => view.zoom(2);
    case "0":
      return () => view.showAll();
    case "ArrowLeft":
      return () => view.pan(-1 / 8);
    case "ArrowRight":
      return () => view.pan(1 / 8);
    default:
      return undefined;
  }
}
