/**
 * Changes to op lists for tests that show what the check of a plan catches: drop, repeat, replace
 * or move an op, with the skips of `Every` kept right.
 */
import { OP_WIDTH, Op, type Plan } from "../plan.ts";

export interface OpNode {
  readonly op: readonly [number, number, number, number];
  /** Ops that `Every` holds. */
  readonly body: readonly OpNode[];
}

export function toNodes(ops: Int32Array): OpNode[] {
  const read = (from: number, to: number): OpNode[] => {
    const nodes: OpNode[] = [];
    for (let pc = from; pc < to; pc += OP_WIDTH) {
      const op = [ops[pc], ops[pc + 1], ops[pc + 2], ops[pc + 3]] as [
        number,
        number,
        number,
        number,
      ];
      const inside = op[0] === Op.Every ? op[2] * OP_WIDTH : 0;
      nodes.push({ op, body: read(pc + OP_WIDTH, pc + OP_WIDTH + inside) });
      pc += inside;
    }
    return nodes;
  };
  return read(0, ops.length);
}

export function fromNodes(nodes: readonly OpNode[]): Int32Array {
  const words = (list: readonly OpNode[]): number[] =>
    list.flatMap(({ op, body }) => {
      if (op[0] !== Op.Every) return [...op];
      const inside = words(body);
      return inside.length === 0 ? [] : [Op.Every, op[1], inside.length / OP_WIDTH, 0, ...inside];
    });
  return Int32Array.from(words(nodes));
}

/** Every way to apply `edit` to one op that `wanted` accepts. */
export function editEach(
  ops: Int32Array,
  wanted: (op: OpNode["op"]) => boolean,
  edit: (node: OpNode) => readonly OpNode[],
): Int32Array[] {
  const nodes = toNodes(ops);
  const count = (list: readonly OpNode[]): number =>
    list.reduce((n, { op, body }) => n + Number(wanted(op)) + count(body), 0);
  return Array.from({ length: count(nodes) }, (_, which) => {
    let seen = 0;
    const walk = (list: readonly OpNode[]): OpNode[] =>
      list.flatMap((node) => {
        if (wanted(node.op) && seen++ === which) return edit(node);
        return [{ op: node.op, body: walk(node.body) }];
      });
    return fromNodes(walk(nodes));
  });
}

export function withStep(plan: Plan, step: Int32Array): Plan {
  return { ...plan, segments: { ...plan.segments, step } };
}
