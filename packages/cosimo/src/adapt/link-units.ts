/**
 * Binds the inner units of an adaptation to its memory, as the plan of its links says.
 */
import type { Adaptation } from "../model/adaptation/data.ts";
import type { Unit } from "../unit/unit.ts";
import type { Memory } from "./compile-expression.ts";
import { InnerLink, type LinkSource } from "./inner-link.ts";
import { type Cell, type Layout, type LinkPort, named } from "./layout.ts";
import { type LinkPlan, planLinks } from "./link-plan.ts";

export interface Linkage extends LinkPlan {
  readonly links: readonly InnerLink[];
  /**
   * Inputs that control rules assigned since the last step of this inner unit replace what rules
   * and connections give.
   */
  readonly override: (link: number) => void;
}

export function linkUnits(
  adaptation: Adaptation,
  layout: Layout,
  memory: Memory,
  inner: ReadonlyMap<string, Unit>,
): Linkage {
  const plan = planLinks(adaptation, layout);
  const links = layout.links.map((link, l) => {
    const kind = { inputs: plan.inputs[l], followsInputs: plan.followsInputs[l] };
    return new InnerLink(named(inner, link.name), link, memory, kind, sourcesOf(layout, l));
  });
  return { ...plan, links, override: overriding(layout, memory, links) };
}

function sourcesOf({ links, wires }: Layout, target: number): LinkSource[] {
  const at = (ports: ReadonlyMap<string, LinkPort>, index: number): Cell => {
    const found = [...ports.values()].find(({ port }) => port.index === index);
    if (found === undefined) throw new Error(`internal: port ${index} has no place`);
    return found.cell;
  };
  return wires
    .filter(({ to }) => to.unit === target)
    .map(({ from, to, by }) => ({
      by,
      from: at(links[from.unit].outputs, from.port),
      to: at(links[target].inputs, to.port),
    }));
}

function overriding(
  { links, overrides }: Layout,
  memory: Memory,
  inner: readonly InnerLink[],
): (link: number) => void {
  const moves = links.map(({ name, inputs }) =>
    [...inputs].flatMap(([port, { cell }], input) => {
      const override = overrides.get(`${name}.${port}`);
      return override ? [{ input, cell, ...override }] : [];
    }),
  );
  const { numbers, texts } = memory;
  return (link) => {
    const list = moves[link];
    for (let k = 0; k < list.length; k++) {
      const { input, cell, value, flag } = list[k];
      if (numbers[flag] === 0) continue;
      numbers[flag] = 0;
      inner[link].trajectories.wasAssigned(input);
      if (cell.bank === "number") numbers[cell.index] = numbers[value.index];
      else texts[cell.index] = texts[value.index];
    }
  };
}
