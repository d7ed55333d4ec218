/**
 * How the inner units of an adaptation hang together, decided once and without opening any: the order of execution, who gets which
 * input when, and whether a step leaves the outputs as the output function would find them.
 */
import type { Adaptation } from "../model/adaptation.ts";
import { AdaptationError } from "./adaptation-error.ts";
import { hasDefaultControl } from "./default-control.ts";
import { actsAtOnce, innerOrder } from "./kinds.ts";
import type { Layout, LinkPort } from "./layout.ts";
import { isIdempotent, mentionsOf } from "./walk.ts";

/** How an input gets its value over a step. */
export type Delivery = "now" | "previous" | "slope";

export interface LinkPlan {
  /** In which outputs are found and default steps taken. Absent where outputs of inner units depend on each other in a circle. */
  readonly order: readonly number[] | undefined;
  /** Every inner unit takes the whole step once, in `order`. */
  readonly isDefault: boolean;
  /** Some inner input begins a step with what it is where the step begins. */
  readonly needsPrevious: boolean;
  /** Inner units whose outputs follow inputs at once and feed others. */
  readonly feedsAtOnce: readonly boolean[];
  /** After a step the stored outputs are those of the output function. */
  readonly isSettledByStep: boolean;
  /** For every inner unit, how each of its inputs is given, in the order of the layout. */
  readonly deliveries: readonly (readonly Delivery[])[];
  /** Inner units with an input that is given here and acts on an output at once. */
  readonly followsInputs: readonly boolean[];
}

export function planLinks(adaptation: Adaptation, layout: Layout): LinkPlan {
  const { wires } = layout;
  const descriptions = layout.links.map(({ description }) => description);
  const stepOrder = innerOrder(descriptions, wires, "step");
  const isDefault = hasDefaultControl(adaptation);
  if (isDefault && stepOrder === undefined)
    throw new AdaptationError(
      "its inner units depend on each other in a circle, so there is no order in which to step them; write control rules that solve it",
      adaptation.place,
    );
  const isReactive = adaptation.inputKind === "reactive";
  const deliveries = layout.links.map((link, l) => {
    const { inputDerivativeOrder } = link.description.capabilities;
    const connected = new Set(wires.filter(({ to }) => to.unit === l).map(({ to }) => to.port));
    const delivery = ({ port }: LinkPort): Delivery => {
      const varies = isReactive || connected.has(port.index);
      const isSmooth = /^float/.test(port.type) && port.variability === "continuous";
      if (port.reactive === true)
        return isSmooth && inputDerivativeOrder > 0 && (varies || !isDefault) ? "slope" : "now";
      return isDefault && varies ? "previous" : "now";
    };
    return [...link.inputs.values()].map(delivery);
  });
  const followsInputs = layout.links.map(({ inputs, description }) =>
    [...inputs.values()].some(({ port }) => actsAtOnce(description, port.index)),
  );
  return {
    order: stepOrder ?? innerOrder(descriptions, wires, "instant"),
    isDefault,
    needsPrevious: isDefault && deliveries.some((list) => list.some((how) => how !== "now")),
    feedsAtOnce: followsInputs.map(
      (follows, l) => follows && wires.some(({ from }) => from.unit === l),
    ),
    isSettledByStep: isDefault && staysAfterStep(adaptation),
    deliveries,
    followsInputs,
  };
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
