/**
 * A machine as the text of an adaptation without inner units, which is how it is exported: what
 * adaptations become in C, machines become too. Transitions are numbered; a step takes them instant
 * by instant, as unit/state-machine-unit.ts does.
 *
 * Its ports come in the order of the machine's (adapt/machine-unit.ts), locals as outputs, so that
 * a plan means the same ports. One thing differs: an adaptation acts in steps only, so what a
 * machine does on entering its initial state and at the start time happens at the beginning of the
 * first step.
 */
import { ROUNDING } from "../../base/instants.ts";
import type { Expression } from "../../model/adaptation/data.ts";
import type {
  Machine,
  MachineAction,
  MachinePort,
  StateDefinition,
  TransitionDefinition,
} from "../../model/machine.ts";
import { statesOf } from "../../model/machine.ts";
import { StateTree } from "../../model/state-tree.ts";
import { printName } from "../sa/names.ts";
import { printExpression } from "../sa/print-expression.ts";
import { rewriteExpression } from "../sa/rewrite.ts";

/** Transitions at one instant after which the step is refused. */
const CASCADE_LIMIT = 1000;

/** The variable that holds when the next transition is due, and what it is where none is. */
export const NEXT_EVENT = "upcoming";
const NEVER = "1.0e301";

export function machineAsSa(machine: Machine): string {
  return new Writer(machine).text();
}

/** States are places in the tree. */
interface Numbered {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly transition: TransitionDefinition;
}

class Writer {
  private readonly machine: Machine;
  private readonly tree: StateTree<StateDefinition>;
  private readonly transitions: readonly Numbered[];
  private readonly meaning = new Map<string, string>([["time", "now"]]);

  constructor(machine: Machine) {
    this.machine = machine;
    const tree = new StateTree(machine.name, statesOf(machine.states));
    this.tree = tree;
    let number = 0;
    this.transitions = tree.nodes.flatMap(({ place: from, state }) =>
      state.transitions.map((transition) => {
        const to = tree.find(from, transition.to);
        return { number: ++number, from, to, transition };
      }),
    );
    for (const { name } of machine.parameters) this.meaning.set(name, printName(name));
    for (const { name, isEvent } of machine.inputs)
      this.meaning.set(name, isEvent ? `occurs_${name}` : `in_${name}`);
    for (const { name } of [...machine.outputs, ...machine.locals, ...machine.events])
      this.meaning.set(name, `out_${name}`);
  }

  text(): string {
    const { name, parameters, inputs, outputs, events, locals } = this.machine;
    const type = name.replace(/[^\p{L}\p{N}_]+/gu, "_").replace(/^(?=\d)/, "_") || "Machine";
    const ports = (list: readonly MachinePort[]): string[] =>
      list.map((port) => `  ${printName(port.name)} : ${port.type}${unitOf(port)}`);
    const outs = [
      ...ports(outputs),
      ...events.map((event) => `  ${printName(event.name)} : boolean`),
      ...ports(locals),
      "  state : integer",
    ];
    return [
      `semantic adaptation delayed moore ${printName(type)} ${printName(`${type}_machine`)}`,
      ...section("input ports", ports(inputs)),
      ...section("output ports", outs),
      ...section(
        "param",
        parameters.map((port) => declared(printName(port.name), port)),
        ";",
      ),
      ...section("control var", this.variables(), ";"),
      "control rules {",
      ...indent(this.control()),
      "}",
      ...section("in var", this.inVariables(), ";"),
      "in rules {",
      "  true -> {",
      ...inputs.flatMap(({ name, isEvent }) => [
        ...(isEvent ? [] : [`    last_${name} := in_${name};`]),
        `    in_${name} := ${printName(name)};`,
      ]),
      "  } --> { };",
      "}",
      "out rules {",
      "  true -> { } --> {",
      ...[...outputs, ...events, ...locals].map(
        (port) => `    ${printName(port.name)} := out_${port.name};`,
      ),
      "    state := active;",
      "  };",
      "}",
      "",
    ].join("\n");
  }

  /** `last_u` is what an input was before: at the first step, its value at the start. */
  private inVariables(): string[] {
    return this.machine.inputs.flatMap((port) => [
      declared(`in_${port.name}`, port),
      ...(port.isEvent ? [] : [declared(`last_${port.name}`, port)]),
    ]);
  }

  private variables(): string[] {
    const { outputs, locals, events, inputs } = this.machine;
    return [
      "  begun : boolean := false",
      `  active : integer := ${this.activeAfter(this.first())}`,
      "  scanned : real := 0.0",
      `  ${NEXT_EVENT} : real := ${NEVER}`,
      ...this.tree.nodes.flatMap(({ place }) => [
        `  entered_${place} : real := 0.0`,
        `  origin_${place} : real := 0.0`,
        `  count_${place} : real := 0.0`,
        `  period_${place} : real := -1.0`,
      ]),
      ...[...outputs, ...locals].map((port) => declared(`out_${port.name}`, port)),
      ...events.map(({ name }) => `  out_${name} : boolean := false`),
      ...inputs.map((port) =>
        port.isEvent
          ? `  occurs_${port.name} : boolean := false`
          : declared(`seen_${port.name}`, port),
      ),
    ];
  }

  /**
   * Instants of the step, one after the other: its begin, then every time at which a transition is
   * due. What rounding puts between the end of one step and the begin of the next (`t + H` and the
   * next `t`) comes first.
   */
  private control(): string[] {
    const { inputs, events } = this.machine;
    const lasting = inputs.filter(({ isEvent }) => !isEvent);
    return [
      "var now : real := t;",
      // What it stays where a cascade does not end.
      `${NEXT_EVENT} := t;`,
      ...events.map(({ name }) => `out_${name} := false;`),
      ...inputs.flatMap(({ name, isEvent }) => (isEvent ? [`occurs_${name} := in_${name};`] : [])),
      "if not begun {",
      ...indent([
        ...lasting.map(({ name }) => `seen_${name} := last_${name};`),
        ...this.enter(this.first()),
        "scanned := t;",
        "begun := true;",
      ]),
      "}",
      ...this.firstDue("scanned", "now"),
      `while now <= t + H or ${isSame("now", "t + H")} {`,
      ...indent([
        ...this.settle(),
        "var due : real := t + 2 * H + 1;",
        ...this.firstDue("now", "due"),
        "if now < t and due > t { due := t; }",
        "now := due;",
      ]),
      "}",
      "scanned := t + H;",
      `${NEXT_EVENT} := ${NEVER};`,
      ...this.firstDue("scanned", NEXT_EVENT),
      "return H;",
    ];
  }

  /** Takes transitions until none is enabled. */
  private settle(): string[] {
    return [
      "var taken : integer := 1;",
      "var rounds : integer := 0;",
      "while taken != 0 {",
      ...indent([
        "taken := 0;",
        ...this.tree.leaves.flatMap((place, leaf) => this.choose(place, leaf + 1)),
        ...this.remember(),
        ...this.transitions.flatMap((one) => [
          `if taken == ${one.number} {`,
          ...indent(this.take(one)),
          "}",
        ]),
        "rounds := rounds + 1;",
        `if rounds > ${CASCADE_LIMIT} { return 0; }`,
      ]),
      "}",
    ];
  }

  /** Changes were seen, events are consumed. */
  private remember(): string[] {
    return this.machine.inputs.map(({ name, isEvent }) =>
      isEvent ? `occurs_${name} := false;` : `seen_${name} := in_${name};`,
    );
  }

  /** @param active what the variable `active` is in this innermost state. */
  private choose(place: number, active: number): string[] {
    const open = this.openIn(place);
    if (open.length === 0) return [];
    return [
      `if active == ${active} {`,
      ...indent(
        open.map((one) => `if taken == 0 and ${this.condition(one)} { taken := ${one.number}; }`),
      ),
      "}",
    ];
  }

  /** Lowers `bound` to the first time behind `after` at which a transition is due. */
  private firstDue(after: string, bound: string): string[] {
    return this.tree.leaves.flatMap((place, leaf) => {
      const timed = this.openIn(place).filter(({ transition }) => transition.after !== undefined);
      const times = [...new Set(timed.map((one) => this.due(one)))];
      if (times.length === 0) return [];
      return [
        `if active == ${leaf + 1} {`,
        ...indent(
          times.flatMap((time, k) => [
            `var at_${k} : real := ${time};`,
            `if at_${k} > ${after} and not ${isSame(`at_${k}`, after)} and at_${k} < ${bound} { ${bound} := at_${k}; }`,
          ]),
        ),
        "}",
      ];
    });
  }

  /** Its own transitions, then those of the states around it. */
  private openIn(place: number): Numbered[] {
    return this.tree
      .around(place)
      .flatMap((outer) => this.transitions.filter(({ from }) => from === outer));
  }

  private condition(one: Numbered): string {
    const { after, on, when } = one.transition;
    const parts: string[] = [];
    if (after !== undefined) parts.push(isSame("now", this.due(one)));
    if (on !== undefined) {
      const isEvent = this.machine.inputs.some(({ name, isEvent }) => name === on && isEvent);
      parts.push(isEvent ? `occurs_${on}` : `in_${on} != seen_${on}`);
    }
    if (when !== undefined) parts.push(`(${this.expression(when)})`);
    return parts.length === 0 ? "true" : parts.join(" and ");
  }

  private due({ from: place, transition }: Numbered): string {
    const after = this.after(transition);
    const counted = `instant_of(origin_${place}, ${after}, count_${place} + 1)`;
    return `period_${place} == ${after} ? ${counted} : instant_of(entered_${place}, ${after}, 1)`;
  }

  private after({ after = 0 }: TransitionDefinition): string {
    return typeof after === "string" ? printName(after) : real(after);
  }

  private take({ from: place, to, transition }: Numbered): string[] {
    const within = this.tree.commonParent(place, to);
    const after = this.after(transition);
    const isPeriodic = place === to && transition.after !== undefined;
    const before = isPeriodic
      ? [
          `if period_${place} != ${after} { origin_${place} := entered_${place}; count_${place} := 0; }`,
        ]
      : [];
    const afterwards = isPeriodic
      ? [`if ${after} > 0 { count_${place} := count_${place} + 1; period_${place} := ${after}; }`]
      : [];
    return [
      ...before,
      ...this.leave(place, within),
      ...this.actions(transition.actions),
      ...this.enter(to, within),
      ...afterwards,
    ];
  }

  /** Exits of the innermost state that is active, and of those around it up to `within`. */
  private leave(from: number, within: number): string[] {
    const { tree } = this;
    return tree.leaves.flatMap((place, leaf) => {
      if (!tree.around(place).includes(from)) return [];
      const left = tree.below(within, place);
      const actions = left.flatMap((outer) => this.actions(tree.nodes[outer]!.state.exit));
      return actions.length === 0 ? [] : [`if active == ${leaf + 1} {`, ...indent(actions), "}"];
    });
  }

  private enter(target: number, within = -1): string[] {
    return [
      `active := ${this.activeAfter(target)};`,
      ...this.tree
        .entered(within, target)
        .flatMap((place) => [
          `entered_${place} := now;`,
          `period_${place} := -1;`,
          ...this.actions(this.tree.nodes[place]!.state.entry),
        ]),
    ];
  }

  private first(): number {
    return this.tree.find(-1, this.machine.initial);
  }

  /** Where entering a state ends: innermost states are numbered from 1. */
  private activeAfter(target: number): number {
    return this.tree.leaves.indexOf(this.tree.entered(-1, target).at(-1)!) + 1;
  }

  private actions(actions: readonly MachineAction[]): string[] {
    return actions.map((action) =>
      action.kind === "emit"
        ? `out_${action.event} := true;`
        : `out_${action.target} := ${this.expression(action.value)};`,
    );
  }

  /** Names mean variables of the adaptation. */
  private expression(expression: Expression): string {
    return printExpression(
      rewriteExpression(expression, (one) => ({
        ...one,
        name: this.meaning.get(one.name) ?? one.name,
      })),
    );
  }
}

function declared(name: string, { type, start }: MachinePort): string {
  const value = type === "boolean" ? String(start !== 0) : type === "real" ? real(start) : start;
  return `  ${name} : ${type} := ${value}`;
}

/** Shortest text that is read as the same number, and as a real one. */
function real(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text.replace("e+", "e") : `${text}.0`;
}

/** Two times up to the rounding of one of them (base/instants.ts). */
function isSame(a: string, b: string): string {
  return `is_close(${a}, ${b}, ${real(ROUNDING)}, 0.0)`;
}

function unitOf({ unit }: MachinePort): string {
  return unit === undefined ? "" : ` (${unit})`;
}

function section(head: string, lines: readonly string[], end = ""): string[] {
  if (lines.length === 0) return [];
  return [head, `${lines.join(",\n")}${end}`];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
