/**
 * How the inner units of an adaptation hang together, decided once: the order of execution, who gets which input when, and
 * whether a step leaves the outputs as the output function would find them.
 */
import type { Adaptation } from "../model/adaptation.ts";
import type { Unit } from "../unit/unit.ts";
import { AdaptationError } from "./adaptation-error.ts";
import type { Memory } from "./compile-expression.ts";
import { hasDefaultControl } from "./default-control.ts";
import { type Delivery, InnerLink, type LinkSource } from "./inner-link.ts";
import { innerOrder } from "./kinds.ts";
import type { Cell, Layout, LinkPort } from "./layout.ts";
import { isIdempotent, mentionsOf } from "./walk.ts";

export interface Linkage {
  readonly links: readonly InnerLink[];
  /** Absent where inner units depend on each other in a circle. */
  readonly order: readonly number[] | undefined;
  /** Every inner unit takes the whole step once, in `order`. */
  readonly isDefault: boolean;
  /** Some inner input begins a step with what it is where the step begins. */
  readonly needsPrevious: boolean;
  /** Inner units whose outputs follow inputs at once and feed others. */
  readonly feedsAtOnce: readonly boolean[];
  /** After a step the stored outputs are those of the output function. */
  readonly isSettledByStep: boolean;
  /** Inputs that control rules assigned since the last step of this inner unit replace what rules and connections give. */
  readonly override: (link: number) => void;
}

export function linkUnits(
  adaptation: Adaptation,
  layout: Layout,
  memory: Memory,
  inner: ReadonlyMap<string, Unit>,
): Linkage {
  const { wires } = layout;
  const order = innerOrder(
    layout.links.map(({ description }) => description),
    wires,
  );
  const isDefault = hasDefaultControl(adaptation);
  if (isDefault && order === undefined)
    throw new AdaptationError(
      "its inner units depend on each other in a circle, so there is no order in which to step them; write control rules that solve it",
      adaptation.place,
    );
  const isReactive = adaptation.inputKind === "reactive";
  const links = layout.links.map((link, l) => {
    const { inputDerivativeOrder } = link.description.capabilities;
    const connected = new Set(wires.filter(({ to }) => to.unit === l).map(({ to }) => to.port));
    const delivery = ({ port }: LinkPort): Delivery => {
      const varies = isReactive || connected.has(port.index);
      const isSmooth = /^float/.test(port.type) && port.variability === "continuous";
      if (port.reactive === true)
        return isSmooth && inputDerivativeOrder > 0 && (varies || !isDefault) ? "slope" : "now";
      return isDefault && varies ? "previous" : "now";
    };
    const deliveries = [...link.inputs.values()].map(delivery);
    return {
      deliveries,
      link: new InnerLink(inner.get(link.name)!, link, memory, deliveries, sourcesOf(layout, l)),
    };
  });
  return {
    links: links.map(({ link }) => link),
    order,
    isDefault,
    needsPrevious:
      isDefault && links.some(({ deliveries }) => deliveries.some((how) => how !== "now")),
    feedsAtOnce: links.map(
      ({ link }, l) => link.followsInputs && wires.some(({ from }) => from.unit === l),
    ),
    isSettledByStep: isDefault && staysAfterStep(adaptation),
    override: overriding(layout, memory),
  };
}

function sourcesOf({ links, wires }: Layout, target: number): LinkSource[] {
  const at = (ports: ReadonlyMap<string, LinkPort>, index: number): Cell =>
    [...ports.values()].find(({ port }) => port.index === index)!.cell;
  return wires
    .filter(({ to }) => to.unit === target)
    .map(({ from, to, by }) => ({
      by,
      from: at(links[from.unit]!.outputs, from.port),
      to: at(links[target]!.inputs, to.port),
    }));
}

const CLOCK = ["t", "H", "h", "dt"];

/** Whether In, MapIn and MapOut would assign again, at the end of a default step, what they just assigned. */
function staysAfterStep({ inRules, outRules, outVariables, inner }: Adaptation): boolean {
  const taking = mentionsOf(inRules, "first");
  const giving = mentionsOf(inRules, "second");
  const storing = mentionsOf(outRules, "first");
  const showing = mentionsOf(outRules, "second");
  const all = [taking, giving, storing, showing];
  if (all.some(({ read }) => CLOCK.some((name) => read.has(name)))) return false;
  if (!isIdempotent(taking) || !isIdempotent(storing)) return false;
  const changing = new Set(outVariables.map(({ name }) => name));
  const isChanging = (key: string): boolean =>
    changing.has(key) || inner.some(({ name }) => key.startsWith(`${name}.`));
  return ![...taking.read, ...giving.read].some(isChanging);
}

function overriding({ links, overrides }: Layout, memory: Memory): (link: number) => void {
  const moves = links.map(({ name, inputs }) =>
    [...inputs].flatMap(([port, { cell }]) => {
      const override = overrides.get(`${name}.${port}`);
      return override ? [{ cell, ...override }] : [];
    }),
  );
  const { numbers, texts } = memory;
  return (link) => {
    const list = moves[link]!;
    for (let k = 0; k < list.length; k++) {
      const { cell, value, flag } = list[k]!;
      if (numbers[flag] === 0) continue;
      numbers[flag] = 0;
      if (cell.bank === "number") numbers[cell.index] = numbers[value.index]!;
      else texts[cell.index] = texts[value.index]!;
    }
  };
}
