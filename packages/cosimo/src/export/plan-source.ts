/**
 * A scenario with its fixed-step plan as one C file: tables of its units, tracks, loops and exposed
 * ports, and one function for each segment of the plan, an op a line, with the names of the ports
 * beside it. The runtime (c-runtime/plan.h) does the rest.
 */
import type { PortRef, Scenario } from "../model/scenario.ts";
import { portSize, type UnitDescription } from "../model/unit-description.ts";
import { type BankName, bankOf, type Value, type ValueType } from "../model/value-type.ts";
import { type Loop, type LoopElement, OP_WIDTH, Op, type Plan, readsIn } from "../plan/plan.ts";
import { SlotNames } from "../plan/print-plan-slots.ts";
import { type CSource, type CUnit, cComment, cIdentifier, cNumber, cString } from "./c-unit.ts";
import { PlanOps } from "./plan-ops.ts";

export interface PlanSourceOptions {
  /** Name of the C function that makes the unit, unique in the FMU. */
  readonly maker: string;
  /** Makers and descriptions of the units, in the scenario's order. */
  readonly units: readonly CUnit[];
  /** What the scenario looks like from outside. */
  readonly description: UnitDescription;
}

export interface PlanSource extends CUnit {
  readonly source: CSource;
}

/**
 * Outputs that the plan records and that inputs act on at once are given as they are recorded; all
 * others are read from their units, as a nested scenario does.
 * @param plan one without `coupling`.
 */
export function planSource(scenario: Scenario, plan: Plan, options: PlanSourceOptions): PlanSource {
  const { maker, description } = options;
  const path = `${cIdentifier(maker).replaceAll("_", "-")}.c`;
  const text = new PlanPrinter(scenario, plan, options).print();
  return { maker, description, source: { path, text } };
}

const BANKS: Readonly<Record<BankName, string>> = {
  f64: "BANK_NUMBERS",
  i64: "BANK_LONGS",
  obj: "BANK_TEXTS",
};

class PlanPrinter {
  private readonly scenario: Scenario;
  private readonly plan: Plan;
  private readonly options: PlanSourceOptions;
  private readonly names: SlotNames;
  private readonly unitNames: readonly string[];
  private readonly ops: PlanOps;

  constructor(scenario: Scenario, plan: Plan, options: PlanSourceOptions) {
    this.scenario = scenario;
    this.plan = plan;
    this.options = options;
    this.names = new SlotNames(plan, scenario);
    this.unitNames = unitConstants(scenario);
    this.ops = new PlanOps(plan, scenario, this.names, this.unitNames);
  }

  print(): string {
    const { plan, scenario, options } = this;
    const makers = [...new Set(options.units.map(({ maker }) => maker))];
    const { initial, start, resolve, inputs, step } = plan.segments;
    const lines = [
      `/* The scenario '${cComment(scenario.name)}' under the master ${plan.master}: made by Cosimo. */`,
      '#include "plan.h"',
      "",
      "#include <math.h>",
      "#include <string.h>",
      "",
      ...makers.map((maker) => `UnitMaker ${maker};`),
      `UnitMaker ${options.maker};`,
      "",
      `enum { ${this.unitNames.join(", ")} };`,
      "",
      ...this.unitTable(),
      ...this.tracks(),
      ...this.maps(),
      ...this.ports(),
      ...this.values(),
      ...plan.loops.flatMap((loop, index) => this.loop(loop, index)),
      ...this.function(
        "initial",
        "All signals in initialization, in the order of their dependencies.",
        initial.flatMap((item) =>
          item.kind === "ops"
            ? this.ops.lines(item.ops)
            : [`UNIT_TRY(plan_solve_loop(plan, &LOOP_${item.loop}));`],
        ),
      ),
      ...this.function(
        "look",
        "All connected outputs once more, as they are now.",
        this.ops.lines(readsIn(resolve)),
      ),
      ...this.function(
        "begin",
        "At tick 0: histories begin, inputs of the first step are written.",
        this.ops.lines(start),
      ),
      ...this.function(
        "resolve",
        "All signals once more at the present instant.",
        this.ops.lines(resolve),
      ),
      ...this.function(
        "inputs",
        "The inputs of the coming step once more.",
        this.ops.lines(inputs),
      ),
      ...this.function("step_once", "One tick.", this.ops.lines(step)),
      ...this.model(),
    ];
    return `${lines.join("\n")}\n`;
  }

  private unitTable(): string[] {
    const { units } = this.options;
    return [
      "static const PlanUnit UNITS[] = {",
      ...this.plan.units.map(
        ({ name, ticks }, u) => `    {${cString(name)}, ${units[u].maker}, ${ticks}},`,
      ),
      "};",
      "",
    ];
  }

  private tracks(): string[] {
    const { tracks } = this.plan;
    if (tracks.length === 0) return [];
    const kinds = { linear: "LINEAR", quadratic: "QUADRATIC" } as Record<string, string>;
    return [
      "/* kind, signal, history, value, slope, ticks between samples and between steps */",
      "static const PlanTrack TRACKS[] = {",
      ...tracks.map((track) => {
        const { unit, port, element, approximation, signal, history, value, slope } = track;
        const kind = kinds[approximation] ?? "INTERPOLATED";
        const places = [signal, history, value, slope, track.sampleTicks, track.stepTicks];
        const name = cComment(this.names.element(unit, port, element));
        return `    {TRACK_${kind}, ${places.join(", ")}}, /* ${name}: ${approximation} */`;
      }),
      "};",
      "",
    ];
  }

  private maps(): string[] {
    return this.plan.maps.flatMap(({ from, to }, m) => [
      `static const double MAP_${m}_FROM[] = {${from.map(cNumber).join(", ")}};`,
      `static const double MAP_${m}_TO[] = {${to.map(cNumber).join(", ")}};`,
      "",
    ]);
  }

  // ---- exposed ports ----------------------------------------------------------------------------

  private ports(): string[] {
    const { description } = this.options;
    const targets: string[] = [];
    const rows = description.ports.map((port) => {
      const inner = this.scenario.ports.filter(({ name }) => name === port.name);
      const first = targets.length;
      for (const { inner: to } of inner)
        targets.push(
          `    {${this.unitNames[to.unit]}, ${to.port}}, /* ${cComment(this.names.port(to.unit, to.port))} */`,
        );
      const bank = port.type === "binary" ? "BANK_BINARIES" : BANKS[bankOf(port.type)];
      const signal = this.recordedSlot(inner[0].inner);
      const cells = [bank, portSize(port), signal, `TARGETS + ${first}`, inner.length];
      return `    {${cells.join(", ")}}, /* ${cComment(port.name)} */`;
    });
    if (rows.length === 0) return [];
    return [
      "static const PlanTarget TARGETS[] = {",
      ...targets,
      "};",
      "",
      "/* bank, elements, signal, where it goes inside */",
      "static const PlanPort PORTS[] = {",
      ...rows,
      "};",
      "",
    ];
  }

  /**
   * Where the plan records an output that inputs act on at once. All other ports are what their
   * units have.
   */
  private recordedSlot({ unit, port }: PortRef): string {
    const { accesses, record, segments } = this.plan;
    const column = record.columns.find(
      (one) => one.unit === unit && one.port === port && one.element === 0,
    );
    const { resolve } = segments;
    const isResolved = accesses.some(
      (access, a) =>
        access.unit === unit &&
        access.slots.some((slot) => slot.port === port) &&
        resolve.some(
          (word, at) => at % OP_WIDTH === 0 && word === Op.Read && resolve[at + 1] === a,
        ),
    );
    return column === undefined || !isResolved ? "NO_SIGNAL" : String(column.slot);
  }

  // ---- values -----------------------------------------------------------------------------------

  private values(): string[] {
    const lines = this.scenario.units.flatMap(({ description, values }, u) =>
      values.flatMap(({ port: index, values: given }) => {
        const port = description.ports[index];
        // Structural parameters shaped the unit when it was made.
        if (port.direction === "structural-parameter") return [];
        const all = Array.from(
          { length: portSize(port) },
          (_, i) => given[given.length === 1 ? 0 : i],
        );
        const { call, list } = literal(port.type, all);
        const name = cComment(this.names.port(u, index));
        return `UNIT_TRY(${call}(plan, ${this.unitNames[u]}, ${index}, ${list})); /* ${name} */`;
      }),
    );
    return this.function("set_values", "What the scenario gives to its units.", lines, false);
  }

  // ---- loops ------------------------------------------------------------------------------------

  private loop(loop: Loop, index: number): string[] {
    const size = ({ unit, port }: LoopElement): number => this.names.size(unit, port);
    const element = (one: LoopElement, factor: number): string => {
      const cells = [this.unitNames[one.unit], one.port, one.element, size(one), cNumber(factor)];
      return `    {${cells.join(", ")}}, /* ${cComment(this.names.element(one.unit, one.port, one.element))} */`;
    };
    const exact = loop.unknownElements.every(
      ({ unit }) => this.scenario.units[unit].description.capabilities.directionalDerivatives,
    );
    const ports = cString(loop.ports.join(" -> "));
    const cells = [ports, loop.unknowns.length, `UNKNOWNS_${index}`, `IMAGES_${index}`];
    const elements = [`INPUTS_${index}`, `OUTPUTS_${index}`, String(exact), `sweep_${index}`];
    return [
      ...this.function(`sweep_${index}`, "Once around a loop.", this.ops.lines(loop.sweep)),
      `static const size_t UNKNOWNS_${index}[] = {${loop.unknowns.join(", ")}};`,
      `static const size_t IMAGES_${index}[] = {${loop.images.join(", ")}};`,
      `static const LoopElement INPUTS_${index}[] = {`,
      ...loop.unknownElements.map((one) => element(one, 1)),
      "};",
      `static const LoopElement OUTPUTS_${index}[] = {`,
      ...loop.imageElements.map((one) => element(one, one.factor)),
      "};",
      `static const PlanLoop LOOP_${index} = {${[...cells, ...elements].join(", ")}};`,
      "",
    ];
  }

  // ---- the whole --------------------------------------------------------------------------------

  private function(
    name: string,
    comment: string,
    lines: readonly string[],
    hasTick = true,
  ): string[] {
    const body = lines.join("\n");
    const local = [
      ...(/\bs\[/.test(body) ? ["double *const s = plan->numbers;"] : []),
      ...(/\bi\[/.test(body) ? ["int64_t *const i = plan->longs;"] : []),
      ...(lines.length === 0 ? ["(void)plan;"] : []),
      ...(hasTick && !/\btick\b/.test(body) ? ["(void)tick;"] : []),
    ];
    return [
      `/* ${comment} */`,
      `static UnitStatus ${name}(Plan *plan${hasTick ? ", int64_t tick" : ""}) {`,
      ...[...local, ...lines, "return UNIT_OK;"].map((line) => `  ${line}`),
      "}",
      "",
    ];
  }

  private get canSave(): boolean {
    return this.scenario.units.every(({ description }) => description.capabilities.rollback);
  }

  private model(): string[] {
    const { plan, options } = this;
    const { f64, i64, obj } = plan.sizes;
    return [
      "static const PlanModel MODEL = {",
      `    .step = ${cNumber(plan.step)},`,
      "    .units = UNITS,",
      `    .unit_count = ${plan.units.length},`,
      `    .numbers = ${f64},`,
      `    .longs = ${i64},`,
      `    .objects = ${obj},`,
      ...(plan.tracks.length === 0
        ? []
        : ["    .tracks = TRACKS,", `    .track_count = ${plan.tracks.length},`]),
      ...(plan.tracks.some(({ approximation }) => approximation === "quadratic") && this.canSave
        ? ["    .learns_slopes = true,"]
        : []),
      ...(options.description.ports.length === 0 ? [] : ["    .ports = PORTS,"]),
      "    .set_values = set_values,",
      "    .initial = initial,",
      "    .look = look,",
      "    .begin = begin,",
      "    .resolve = resolve,",
      "    .inputs = inputs,",
      "    .step_once = step_once,",
      "};",
      "",
      `Unit *${options.maker}(const UnitHost *host, const char *name) { return make_plan(&MODEL, host, name); }`,
    ];
  }
}

/** Constants for the numbers of units: U_LEFT, U_RIGHT. */
function unitConstants({ units }: Scenario): string[] {
  const taken = new Set<string>();
  return units.map(({ name }, u) => {
    const wanted = `U_${cIdentifier(name).toUpperCase()}`;
    const constant = taken.has(wanted) ? `${wanted}_${u}` : wanted;
    taken.add(constant);
    return constant;
  });
}

function literal(
  type: ValueType,
  values: readonly Value[],
): { readonly call: string; readonly list: string } {
  if (type === "string") {
    const list = values.map((value) => cString(String(value)));
    return { call: "plan_give_texts", list: `(const char *const[]){${list.join(", ")}}` };
  }
  if (type === "binary") {
    const list = values.map((value) => {
      const bytes = value as Uint8Array;
      return `{${bytes.length}, (uint8_t[]){${bytes.length === 0 ? "0" : [...bytes].join(", ")}}}`;
    });
    return { call: "plan_give_binaries", list: `(const Binary[]){${list.join(", ")}}` };
  }
  if (bankOf(type) === "i64") {
    const list = values.map((value) => {
      const long = BigInt.asIntN(64, BigInt(value as number | bigint));
      // The smallest one has no literal of its own.
      return long === -(2n ** 63n) ? "INT64_MIN" : `INT64_C(${long})`;
    });
    return { call: "plan_give_longs", list: `(const int64_t[]){${list.join(", ")}}` };
  }
  const list = values.map((value) => cNumber(Number(value)));
  return { call: "plan_give_numbers", list: `(const double[]){${list.join(", ")}}` };
}
