/**
 * How the inner units of an adaptation are coupled, decided once and without opening any: the order
 * of execution, when each input gets its value, and whether a step leaves the outputs as the output
 * function would find them.
 */
import type { Adaptation } from "../model/adaptation/data.ts";
import { SA_CLOCK } from "../model/adaptation/functions.ts";
import { actsAtOnce, innerOrder, takesSlopes } from "../model/adaptation/inner-order.ts";
import { isIdempotent, mentionsOf } from "../model/adaptation/walk.ts";
import { AdaptationError } from "./adaptation-error.ts";
import { inputCauses, speaksOfInnerStep } from "./dependencies.ts";
import type { Layout, LinkLayout, LinkPort } from "./layout.ts";

/**
 * How an inner input gets its value over a step of its unit.
 *   now           what is given, held
 *   begin         what it is where that step begins, held: the input is declared delayed
 *   interpolated  from what it was there to what is given, by a slope: another inner unit or control rules give the end
 *   trajectory    as the own inputs that it is made of vary
 *   rules         MapIn refers to the inner step itself: from what it gives for one end to what it gives for the other
 *   moving        as rules while an own input that it is made of varies, because the bare unit would follow it; otherwise as now
 */
export type Delivery = "now" | "begin" | "interpolated" | "trajectory" | "rules" | "moving";

export interface PlannedInput {
  readonly delivery: Delivery;
  /** What control rules assign is the value at the end of the step, not one that is held. */
  readonly interpolatesAssigned: boolean;
  /** The inner unit whose output feeds it, where MapIn does not; otherwise -1. */
  readonly source: number;
  /** Positions of the own inputs (numbers only, in their order) that it may be made of. */
  readonly behind: readonly number[];
}

export interface LinkPlan {
  /**
   * In which outputs are found and default steps taken. Absent where outputs of inner units form an
   * algebraic loop.
   */
  readonly order: readonly number[] | undefined;
  /** Every inner unit takes the whole step once, in `order`. */
  readonly isDefault: boolean;
  /**
   * Some inner input that another unit feeds begins a step with what it is where the step begins.
   */
  readonly needsPrevious: boolean;
  /** Some inner input follows own inputs of the adaptation. */
  readonly followsOwnInputs: boolean;
  /** Outputs may follow inputs at once. */
  readonly isMealy: boolean;
  /** Inner units whose outputs follow inputs at once and feed others. */
  readonly feedsAtOnce: readonly boolean[];
  /** After a step the stored outputs are those of the output function. */
  readonly isSettledByStep: boolean;
  /** For every inner unit, how each of its inputs is given, in the order of the layout. */
  readonly inputs: readonly (readonly PlannedInput[])[];
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
      "its inner units form an algebraic loop, so there is no order in which to step them; write control rules that solve it",
      adaptation.place,
    );
  const inputs = planInputs(adaptation, layout);
  const followsInputs = layout.links.map(({ inputs: own, description }) =>
    [...own.values()].some(({ port }) => actsAtOnce(description, port.index)),
  );
  const all = inputs.flat();
  return {
    order: stepOrder ?? innerOrder(descriptions, wires, "instant"),
    isDefault,
    needsPrevious: all.some(
      ({ delivery, source }) =>
        delivery === "interpolated" || (delivery === "begin" && source >= 0),
    ),
    followsOwnInputs: all.some((input) => followsOwnInputs(input)),
    isMealy: layout.isMealy,
    feedsAtOnce: followsInputs.map(
      (follows, l) => follows && wires.some(({ from }) => from.unit === l),
    ),
    isSettledByStep: isDefault && staysAfterStep(adaptation),
    inputs,
    followsInputs,
  };
}

/**
 * Whether inner units take the step once, in order, because the author says nothing else. Explicit
 * form says so beside the rules.
 */
export function hasDefaultControl({ control, controlRules }: Adaptation): boolean {
  return controlRules === undefined || control === "default";
}

/** Whether what the input is where an inner step begins follows from where own inputs are then. */
export function followsOwnInputs({ delivery, source }: PlannedInput): boolean {
  return delivery === "trajectory" || (delivery === "begin" && source < 0);
}

function planInputs(adaptation: Adaptation, layout: Layout): PlannedInput[][] {
  const causes = inputCauses(adaptation);
  return layout.links.map((link, l) =>
    [...link.inputs].map(([name, linkPort]): PlannedInput => {
      const { port } = linkPort;
      const wire = layout.wires.find(({ to }) => to.unit === l && to.port === port.index);
      const made = causes.get(`${link.name}.${name}`);
      const behind = layout.movable.flatMap((own, i) =>
        made?.has(`${adaptation.name}.${own.name}`) === true ? [i] : [],
      );
      return {
        delivery: deliveryOf(link, linkPort, {
          isWired: wire !== undefined,
          isMapped: made !== undefined,
          isTimed: made !== undefined && speaksOfInnerStep(made),
          isMovable: behind.length > 0,
          isAhead: behind.some((i) => layout.movable[i].reactive === true),
        }),
        interpolatesAssigned: port.reactive === true && takesSlopes(link.description, port),
        source: made === undefined ? (wire?.from.unit ?? -1) : -1,
        behind,
      };
    }),
  );
}

interface Given {
  readonly isWired: boolean;
  readonly isMapped: boolean;
  /** MapIn speaks of the inner step. */
  readonly isTimed: boolean;
  /** It is made of own inputs that can be given slopes. */
  readonly isMovable: boolean;
  /** An own input that it is made of is seen as it is at the end of the step. */
  readonly isAhead: boolean;
}

function deliveryOf(
  { description }: LinkLayout,
  { port, cell }: LinkPort,
  { isWired, isMapped, isTimed, isMovable, isAhead }: Given,
): Delivery {
  if (cell.bank !== "number") return "now";
  const follows = takesSlopes(description, port);
  const isDelayed = port.reactive === false;
  if (isMapped && isTimed) {
    if (!follows) return "now";
    if (port.reactive === true) return "rules";
    return isMovable ? "moving" : "now";
  }
  if (isMapped && isDelayed && isAhead) return "begin";
  if (isMapped) return follows ? "trajectory" : "now";
  if (isDelayed) return isWired ? "begin" : "now";
  return port.reactive === true && follows ? "interpolated" : "now";
}

/**
 * Whether In, MapIn and MapOut would assign again, at the end of a default step, what they just
 * assigned.
 */
function staysAfterStep({ inRules, outRules, outVariables, inner }: Adaptation): boolean {
  const taking = mentionsOf(inRules, "first");
  const giving = mentionsOf(inRules, "second");
  const storing = mentionsOf(outRules, "first");
  const showing = mentionsOf(outRules, "second");
  const all = [taking, giving, storing, showing];
  for (const name of SA_CLOCK.keys()) if (all.some(({ read }) => read.has(name))) return false;
  if (!isIdempotent(taking) || !isIdempotent(storing)) return false;
  const changing = new Set(outVariables.map(({ name }) => name));
  const isChanging = (key: string): boolean =>
    changing.has(key) || inner.some(({ name }) => key.startsWith(`${name}.`));
  return ![...taking.read, ...giving.read].some(isChanging);
}
