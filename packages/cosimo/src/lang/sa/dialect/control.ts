/**
 * Forms that stand for control rules, written out: several steps for one, successive substitution,
 * delays, execution by a condition or by the clock. Each is the listing of the paper that does the
 * same (3, 4, 5), with its errata.
 */
import type { Place } from "../../../base/diagnostic.ts";
import type {
  AdaptationPort,
  Expression,
  InnerConnection,
  InnerUnit,
  PortName,
  Statement,
  ValueLimit,
} from "../../../model/adaptation/data.ts";
import { makeIf } from "../build.ts";
import { converted } from "../convert.ts";
import { addInPorts } from "../explicit-ports.ts";
import { findPort, type InnerPorts, innerPorts, physicalUnit } from "../inner-ports.ts";
import { assignedPorts, keyOf } from "../rewrite.ts";
import { generated, inText, name, port } from "./code.ts";
import type { Form, Tolerances } from "./draft.ts";
import type { Ports } from "./ports.ts";
import { type Work, zeroOf } from "./work.ts";

type FormOf<Kind extends Form["kind"]> = Extract<Form, { readonly kind: Kind }>;

/** A signal of a loop, as it is guessed. */
interface Guess {
  readonly variable: string;
  readonly signal: PortName;
}

const AT_LEAST_ONE: ValueLimit = { kind: "min", bound: 1 };
const ABOVE_ZERO: ValueLimit = { kind: "above", bound: 0 };

export class Control {
  private readonly work: Work;
  private readonly ports: Ports;
  private readonly forms: readonly Form[];
  private readonly multiRate: FormOf<"multi-rate"> | undefined;
  private readonly substitution: FormOf<"substitution"> | undefined;
  private readonly executed: FormOf<"triggered"> | FormOf<"periodic"> | undefined;
  /** What goes into inputs before the step of their unit, in place of a connection. */
  private readonly delayed: { readonly to: PortName; readonly value: string }[] = [];

  private readonly units: readonly InnerPorts[];

  constructor(work: Work, ports: Ports, forms: readonly Form[]) {
    this.work = work;
    this.ports = ports;
    this.forms = forms;
    this.units = innerPorts(work, () => undefined);
    this.multiRate = this.only("multi-rate");
    this.substitution = this.only("substitution");
    this.executed = this.only("triggered") ?? this.only("periodic");
    if (this.only("triggered") !== undefined && this.only("periodic") !== undefined)
      this.twice(this.only("periodic")?.place ?? work.draft.place);
  }

  private only<Kind extends Form["kind"]>(kind: Kind): FormOf<Kind> | undefined {
    const [first, ...more] = this.forms.filter((form): form is FormOf<Kind> => form.kind === kind);
    for (const { place } of more) this.twice(place);
    return first;
  }

  private twice(place: Place): void {
    this.work.dialect.refuse(
      "this form",
      "there is one that decides the same already",
      "remove one of them",
      place,
    );
  }

  /** @param own the author's control rules. */
  translate(own: Statement[] | undefined): void {
    const { work } = this;
    for (const form of this.forms) if (form.kind === "delay") this.delay(form);
    const form = this.multiRate ?? this.substitution ?? this.executed;
    if (own !== undefined && form !== undefined) this.twice(form.place);
    if (this.multiRate !== undefined) this.interpolate(this.multiRate);
    const isNeeded =
      form !== undefined ||
      this.delayed.length > 0 ||
      work.prologue.length > 0 ||
      work.epilogue.length > 0;
    if (own !== undefined) work.controlRules = this.around(own);
    else if (isNeeded) work.controlRules = this.around(this.generatedRules(form));
  }

  private around(rules: readonly Statement[]): Statement[] {
    const { prologue, epilogue } = this.work;
    return [...prologue, ...(epilogue.length === 0 ? rules : this.beforeReturns(rules))];
  }

  /** What belongs to the end of a step happens where it ends as was requested. */
  private beforeReturns(rules: readonly Statement[]): Statement[] {
    const { epilogue } = this.work;
    return rules.flatMap((s): Statement[] => {
      switch (s.kind) {
        case "return": {
          if (s.value.kind === "reference" && s.value.name === "H") return [...epilogue, s];
          const taken = this.work.fresh("taken");
          const [declared, back] = this.work.statements(
            `var ${taken} := H; return ${taken};`,
            s.place,
          );
          const [check] = this.work.statements(`if (is_close(${taken}, H, 1e-9, 0.0)) {}`, s.place);
          if (declared?.kind !== "var" || check?.kind !== "if" || back === undefined) return [s];
          return [
            { ...declared, value: s.value },
            makeIf(check.condition, epilogue, [], s.place),
            { ...back, place: s.place },
          ];
        }
        case "if":
          return [
            makeIf(
              s.condition,
              this.beforeReturns(s.then),
              this.beforeReturns(s.otherwise),
              s.place,
            ),
          ];
        case "for":
        case "while":
          return [{ ...s, body: this.beforeReturns(s.body) }];
        default:
          return [s];
      }
    });
  }

  private generatedRules(form: Form | undefined): Statement[] {
    const { work, executed } = this;
    const place = form?.place ?? work.draft.place;
    if (executed?.kind === "triggered") return this.triggered(executed);
    if (executed?.kind === "periodic") return this.periodic(executed);
    const text =
      this.multiRate === undefined && this.substitution === undefined
        ? this.once("t", "H")
        : `${this.steps("t", "H", place)}\nreturn H;`;
    return work.statements(text, place);
  }

  /** All units over one step, as a whole or in several. */
  private steps(from: string, size: string, place: Place): string {
    const { work, multiRate } = this;
    if (multiRate === undefined) return this.step(from, size);
    work.dialect.note(`'multiply rate ${multiRate.times} times'`, "a loop of steps", place);
    if (multiRate.times < 1)
      work.dialect.refuse(
        `'multiply rate ${multiRate.times} times'`,
        "the inner units would take no step at all",
        "take at least one step for one: 'multiply rate 1 times'",
        multiRate.place,
      );
    const times = work.limited(
      "RATE",
      Math.max(1, multiRate.times),
      AT_LEAST_ONE,
      multiRate.place,
      "integer",
    );
    const [at, k, micro] = [work.fresh("inner_time"), work.fresh("k"), work.fresh("micro_step")];
    return `var ${micro} := ${size} / ${times};
      var ${at} := ${from};
      for (var ${k} in 0 .. ${times}) {
        ${this.step(at, micro)}
        ${at} := ${at} + ${micro};
      }`;
  }

  private step(from: string, size: string): string {
    return this.substitution === undefined
      ? this.order([])
          .map(
            (unit) => `${this.deliveries(unit, [])}do_step(${name(unit.name)}, ${from}, ${size});`,
          )
          .join("\n")
      : this.substituted(this.substitution, from, size);
  }

  /** Every unit once over the step; the shortest of what they took is returned. */
  private once(from: string, size: string): string {
    const { work } = this;
    const taken = this.order([]).map((unit) => ({ unit, local: work.fresh(`H_${unit.name}`) }));
    const steps = taken.map(
      ({ unit, local }) =>
        `${this.deliveries(unit, [])}var ${local} := do_step(${name(unit.name)}, ${from}, ${size});`,
    );
    const all = taken.map(({ local }) => local);
    return `${steps.join("\n")}\nreturn ${all.length === 1 ? all[0] : `min(${all.join(", ")})`};`;
  }

  private deliveries(unit: InnerUnit, guesses: readonly Guess[]): string {
    const { work } = this;
    const units = this.units;
    const guessed = work.connections.flatMap(({ from, to, place }) => {
      const guess = guesses.find(({ signal }) => isSame(signal, from));
      if (guess === undefined || to.unit !== unit.name) return [];
      const source = findPort(units, from, "outputs")?.physical;
      const target = findPort(units, to, "inputs")?.physical;
      const value = work.expression(guess.variable, place);
      const found: Parameters<typeof converted>[4] = [];
      const text = inText(converted(value, source, target, place, found));
      for (const one of found) work.dialect.add(one);
      return [`${port(to)} := ${text};\n`];
    });
    const late = this.delayed
      .filter(({ to }) => to.unit === unit.name)
      .map(({ to, value }) => `${port(to)} := ${value};\n`);
    return [...guessed, ...late].join("");
  }

  /** Units, each after those that feed it; `cut`: signals that are guessed. */
  private order(cut: readonly PortName[]): InnerUnit[] {
    const { work } = this;
    const feeders = new Map<string, string[]>();
    for (const { from, to } of work.connections)
      if (from.unit !== to.unit && !cut.some((signal) => isSame(signal, from)))
        feeders.set(to.unit, [...(feeders.get(to.unit) ?? []), from.unit]);
    const waits = (unit: InnerUnit, done: ReadonlySet<string>): boolean =>
      unit.inputKind !== "delayed" &&
      (feeders.get(unit.name) ?? []).some((from) => !done.has(from));
    const left = [...work.inner];
    const done = new Set<string>();
    const found: InnerUnit[] = [];
    while (left.length > 0) {
      const at = left.findIndex((unit) => !waits(unit, done));
      if (at < 0) {
        const loop = left.map((unit) => `'${unit.name}'`).join(", ");
        work.dialect.refuse(
          "this adaptation",
          `there is no order in which to step ${loop}: they feed each other`,
          "say where the loop begins: 'successive substitution starts at …', or 'delay at …'",
          work.draft.place,
        );
        return [...found, ...left];
      }
      const [next] = left.splice(at, 1);
      if (next === undefined) break;
      found.push(next);
      done.add(next.name);
    }
    return found;
  }

  /** Listing 3: the step is repeated with what came out of it, until that stays. */
  private substituted(form: FormOf<"substitution">, from: string, size: string): string {
    const { work } = this;
    const { place, tolerances } = form;
    work.dialect.note("'successive substitution'", "a loop that repeats the step", place);
    const signals = form.signals.map((one) => this.ports.qualified(one, "outputs"));
    const guesses = signals.map((signal): Guess => {
      const start = this.ports.startOf(signal.unit, signal.port);
      const initial = start === undefined ? "0.0" : inText(start);
      const wanted = `guess_${signal.port}`;
      return { signal, variable: work.declare("controlVariables", wanted, initial, place) };
    });
    const fed = signals.find(
      (signal) => !work.connections.some((connection) => isSame(signal, connection.from)),
    );
    if (fed !== undefined && fed.unit !== "")
      work.dialect.refuse(
        "'successive substitution'",
        `'${fed.unit}.${fed.port}' feeds no inner unit`,
        "name an output that feeds another unit, or connect it: 'coupled as …'",
        fed.place,
      );
    const known = work.parameters.some((one) => one.name === "MAXITER");
    const most = known ? "MAXITER" : work.limited("MAXITER", 100, AT_LEAST_ONE, place, "integer");
    const order = this.order(signals);
    const units = order.map((unit) => name(unit.name));
    const [round, stands] = [work.fresh("round"), work.fresh("converged")];
    const steps = order.map(
      (unit, at) =>
        `${this.deliveries(
          unit,
          // Behind the unit that gives it, the signal itself is there.
          guesses.filter(({ signal }) => order.slice(at).some((one) => one.name === signal.unit)),
        )}do_step(${name(unit.name)}, ${from}, ${size});`,
    );
    const within = withinText(tolerances);
    const agreed = guesses.map(
      (one) => `is_close(${one.variable}, ${port(one.signal)}, ${within})`,
    );
    return `for (var ${round} in 0 .. ${most}) {
      ${units.map((unit) => `save_state(${unit});`).join("\n")}
      ${steps.join("\n")}
      var ${stands} := ${agreed.join(" and ")};
      ${guesses.map((one) => `${one.variable} := ${port(one.signal)};`).join("\n")}
      if (${stands} or ${round} == ${most} - 1) { break; }
      ${units.map((unit) => `rollback(${unit});`).join("\n")}
    }`;
  }

  /** A connection hands on what its source was at the end of the last step. */
  private delay({ signals, place }: FormOf<"delay">): void {
    const { work } = this;
    for (const written of signals) {
      const signal = this.ports.qualified(written, "outputs");
      const fed = work.connections.filter(({ from }) => isSame(signal, from));
      if (fed.length === 0) {
        work.dialect.refuse(
          "'delay at'",
          `'${signal.port}' feeds no inner unit`,
          "name an output that feeds another unit, or delay it in the rules: 'out rules { delay at … }'",
          place,
        );
        continue;
      }
      work.dialect.note("'delay at'", "the value of the last step", place);
      const start = this.ports.startOf(signal.unit, signal.port);
      const unit = work.inner.find((one) => one.name === signal.unit);
      const type = unit?.outputs?.find((one) => one.name === signal.port)?.type;
      const initial = work.declare(
        "parameters",
        `INIT_DELAYED_${signal.port.toUpperCase()}`,
        start === undefined ? zeroOf(type) : inText(start),
        place,
        type === "integer" ? type : undefined,
      );
      const late = work.declare("controlVariables", `delayed_${signal.port}`, initial, place);
      work.end(`${late} := ${port(signal)};`, place);
      for (const connection of fed) this.cut(connection, late);
    }
  }

  private cut(connection: InnerConnection, late: string): void {
    const { work } = this;
    const units = this.units;
    const { from, to, place } = connection;
    work.connections.splice(work.connections.indexOf(connection), 1);
    const source = findPort(units, from, "outputs")?.physical;
    const target = findPort(units, to, "inputs")?.physical;
    const found: Parameters<typeof converted>[4] = [];
    const value = converted(work.expression(late, place), source, target, place, found);
    for (const one of found) work.dialect.add(one);
    this.delayed.push({ to, value: inText(value) });
    // Of a unit that the author's control rules step, the input is assigned by an in rule.
    if (work.draft.controlRules !== undefined)
      work.rule("in", "true", "", `${port(to)} := ${inText(value)};`, place);
  }

  /**
   * Listing 4, with the division by H that it lacks: from the last input to this one, value by
   * value of the inner steps. In the first step there is no last one, and the input is held.
   */
  private interpolate({ order, place }: FormOf<"multi-rate">): void {
    const { work } = this;
    if (order === undefined || order === 0) return;
    if (order > 1) {
      work.dialect.refuse(
        `interpolation of order ${order}`,
        "inputs are interpolated on a line, or not at all",
        "write 'with first order interpolation' or 'with no interpolation'",
        place,
      );
      return;
    }
    const inputs = this.ownInputs();
    if (inputs.length === 0) return;
    work.dialect.note("'first order interpolation'", "rules for the inputs", place);
    const sa = work.draft.name;
    const first: string[] = [];
    const second: string[] = [];
    const begin: string[] = [];
    const end: string[] = [];
    const begun = work.declare("controlVariables", "has_previous", "false", place);
    for (const { own, binding } of inputs) {
      // What a rule assigns is not passed on by itself.
      if (!work.inputs?.some((one) => one.name === own.name))
        work.inputs = [...(work.inputs ?? []), { ...own, place: generated(own.place) }];
      const start = this.ports.startOf(sa, own.name);
      const previous = work.declare(
        "controlVariables",
        `previous_${own.name}`,
        start === undefined ? "0.0" : inText(start),
        place,
      );
      const current = work.declare("inVariables", `current_${own.name}`, "0.0", place);
      first.push(`${current} := ${port({ unit: sa, port: own.name })};`);
      const line = `${previous} + (${current} - ${previous}) * (dt + h) / H`;
      second.push(`${port(binding)} := ${this.inUnitOf(line, own, binding, place)};`);
      if (start === undefined) begin.push(`${previous} := ${current};`);
      end.push(`${previous} := ${current};`);
    }
    work.rule("in", "true", first.join("\n"), second.join("\n"), place);
    if (begin.length > 0)
      work.begin(`if (not ${begun}) { ${begin.join("\n")} ${begun} := true; }`, place);
    work.end(end.join("\n"), place);
  }

  /**
   * Real inputs of the adaptation that lead to an inner one, and that no rule of the author treats.
   */
  private ownInputs(): { readonly own: AdaptationPort; readonly binding: PortName }[] {
    const { work } = this;
    const adaptation = work.finish();
    const units = this.units;
    const treated = new Set(adaptation.inRules.flatMap(({ second }) => [...assignedPorts(second)]));
    const { inputs } = addInPorts(adaptation, units);
    return inputs.flatMap((own) => {
      const { binding } = own;
      if (binding === undefined || treated.has(keyOf(binding.unit, binding.port))) return [];
      const type = own.type ?? findPort(units, binding, "inputs")?.type ?? "real";
      return type === "real" ? [{ own, binding }] : [];
    });
  }

  private inUnitOf(line: string, own: AdaptationPort, binding: PortName, place: Place): string {
    const { work } = this;
    const inner = findPort(this.units, binding, "inputs");
    const found: Parameters<typeof converted>[4] = [];
    const value: Expression = work.expression(line, place);
    const text = inText(converted(value, physicalUnit(own.unit), inner?.physical, place, found));
    for (const one of found) work.dialect.add(one);
    return text;
  }

  /**
   * Listing 5: where the condition holds, or the time of the unit itself has come, over the time
   * since it was executed last.
   */
  private triggered({ condition, place }: FormOf<"triggered">): Statement[] {
    const { work } = this;
    work.dialect.note("'triggered by'", "control rules that execute units then", place);
    const when = inText(condition);
    const next = work.declare("controlVariables", "next_time", "-1.0", place);
    const [from, size] = [work.fresh("from"), work.fresh("since")];
    const [first] = work.inner;
    const times = work.inner.map((unit) => `get_next_time_step(${name(unit.name)})`);
    const soonest = times.length === 1 ? times[0] : `min(${times.join(", ")})`;
    return work.statements(
      `if (${when} or t + H >= ${next}) {
        var ${from} := last_execution_time(${name(first?.name ?? "")});
        var ${size} := t + H - ${from};
        ${this.steps(from, size, place)}
        ${next} := t + H + ${soonest};
      }
      return H;`,
      place,
    );
  }

  /**
   * At FIRST + k · PERIOD, wherever the steps of the others end; in between the unit is left alone.
   */
  private periodic({ first, period, place }: FormOf<"periodic">): Statement[] {
    const { work } = this;
    if (!(period > 0) || !Number.isFinite(first)) {
      work.dialect.refuse(
        "'periodic'",
        "the period must be a number above 0",
        "write 'periodic every 0.5' or 'periodic at 1 every 0.5'",
        place,
      );
      return [];
    }
    work.dialect.note("'periodic'", "control rules that execute units at these instants", place);
    const PERIOD = work.limited("PERIOD", period, ABOVE_ZERO, place);
    const FIRST = work.declare("parameters", "FIRST", `${first}`, place);
    const count = work.declare("controlVariables", "count", "0.0", place);
    const counted = work.declare("controlVariables", "counted", "false", place);
    const [at, from, size] = [work.fresh("instant"), work.fresh("from"), work.fresh("since")];
    const unit = name(work.inner[0]?.name ?? "");
    return work.statements(
      `if (not ${counted}) {
        ${count} := max(0, ceil((t - ${FIRST}) / ${PERIOD} - 1e-9));
        ${counted} := true;
      }
      var ${at} := ${FIRST} + ${count} * ${PERIOD};
      while (${at} <= t + H + 1e-9 * H) {
        var ${from} := last_execution_time(${unit});
        var ${size} := ${at} - ${from};
        if (${size} > 1e-9 * ${PERIOD}) {
          ${this.steps(from, size, place)}
        }
        ${count} := ${count} + 1;
        ${at} := ${FIRST} + ${count} * ${PERIOD};
      }
      return H;`,
      place,
    );
  }
}

function isSame(a: PortName, b: PortName): boolean {
  return a.unit === b.unit && a.port === b.port;
}

function withinText({ relative, absolute }: Tolerances): string {
  return `${relative ? inText(relative) : "1e-5"}, ${absolute ? inText(absolute) : "1e-8"}`;
}
