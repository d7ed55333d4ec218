/**
 * Ties: simultaneous events whose order the model does not define. A run takes the order that its
 * rules name (Select, the order of couplings and connections); a check for confluence takes others
 * and compares. Units that order events inside themselves offer `TieServices`, so that a check can
 * decide for them.
 */

export interface Tie {
  /** Seconds. */
  readonly time: number;
  /** What has to be ordered, for messages: "who goes first", "values at 'b.in'". */
  readonly what: string;
  /** What there is to choose from, by name; the first one is what a run without `Ties` takes. */
  readonly among: readonly string[];
}

export interface Ties {
  /** @returns a place in `among`. */
  choose(tie: Tie): number;
}

/** Offered by units whose simultaneous events can be taken in several orders. */
export interface TieServices {
  /** From now on `ties` decides; undefined: the unit's own rules do. */
  decideBy(ties: Ties | undefined): void;
}

/** An order of `names`, chosen one after the other; places in `names`. */
export function chooseOrder(
  ties: Ties,
  time: number,
  what: string,
  names: readonly string[],
): number[] {
  const left = [...names.keys()];
  const order: number[] = [];
  while (left.length > 1) {
    const [chosen] = left.splice(
      ties.choose({ time, what, among: left.map((place) => names[place]) }),
      1,
    );
    order.push(chosen);
  }
  return [...order, ...left];
}
