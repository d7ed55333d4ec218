/**
 * The script of a drawing of coupled units: pointing at a unit or a wire fades what does not belong
 * to it, and shows its facts.
 */
import type { GraphPageData } from "../page-data.ts";
import "./graph-page.css";
import { byId, create, pageData } from "./dom.ts";

const facts = pageData<GraphPageData>();
const drawing = document.querySelector<SVGSVGElement>("main svg");
const panel = byId("facts");
if (drawing) listen(drawing);

interface Wire {
  readonly element: SVGElement;
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

function listen(svg: SVGSVGElement): void {
  const units = [...svg.querySelectorAll<SVGElement>("[data-unit]")];
  const labels = [...svg.querySelectorAll<SVGElement>("[data-label]")];
  const wires = [...svg.querySelectorAll<SVGElement>("[data-wire]")].map((element): Wire => {
    const { wire = "", from = "", to = "" } = element.dataset;
    return { element, id: wire, from, to };
  });

  const pick = (near: ReadonlySet<string>, shown: readonly Wire[], lines: readonly string[]) => {
    const ids = new Set(shown.map(({ id }) => id));
    svg.classList.add("picked");
    for (const unit of units) fade(unit, near.has(unit.dataset["unit"] ?? ""));
    for (const { element, id } of wires) fade(element, ids.has(id));
    for (const label of labels) fade(label, ids.has(label.dataset["label"] ?? ""));
    const heading = create("b");
    heading.textContent = lines[0] ?? "";
    panel.replaceChildren(heading, lines.slice(1).join("\n"));
    panel.hidden = false;
  };
  const clear = (): void => {
    svg.classList.remove("picked");
    panel.hidden = true;
  };

  for (const wire of wires) {
    wire.element.addEventListener("mouseenter", () =>
      pick(new Set([wire.from, wire.to]), [wire], facts.wires[Number(wire.id)] ?? []),
    );
    wire.element.addEventListener("mouseleave", clear);
  }
  for (const unit of units) {
    const id = unit.dataset["unit"] ?? "";
    const mine = wires.filter(({ from, to }) => from === id || to === id);
    const near = new Set([id, ...mine.flatMap(({ from, to }) => [from, to])]);
    unit.addEventListener("mouseover", (event) => {
      pick(near, mine, portFacts(event.target, unit) ?? facts.units[Number(id)] ?? []);
    });
    unit.addEventListener("mouseleave", clear);
  }
}

function fade(element: SVGElement, isNear: boolean): void {
  element.classList.toggle("dim", !isNear);
}

/** What the port under the mouse is about: its tool tip. */
function portFacts(target: EventTarget | null, unit: SVGElement): string[] | undefined {
  const group = target instanceof Element ? target.closest("g") : null;
  if (!group || group === unit) return undefined;
  return group.querySelector("title")?.textContent?.split("\n");
}
