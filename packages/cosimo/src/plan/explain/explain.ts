/**
 * From a scenario and its plan to the facts of an explanation.
 */
import { actingFaults } from "../../model/apply-faults.ts";
import { BACKENDS } from "../../model/backends.ts";
import { knownInstants, triggerWords } from "../../model/faults.ts";
import { isolationWords } from "../../model/isolation.ts";
import { iterates, MASTERS } from "../../model/masters.ts";
import type {
  AdaptedSource,
  Connection,
  Scenario,
  ScenarioUnit,
  UnitSource,
} from "../../model/scenario.ts";
import { portName } from "../../model/scenario-ports.ts";
import { placesText, SOURCES } from "../../model/source-kind.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { connectedKind, unitKind } from "../../model/unit-kind.ts";
import type { Compiled } from "../compile.ts";
import { OP_WIDTH, Op, type Plan } from "../plan.ts";
import { chooseTrigger, type TriggerChoice, triggerText } from "../triggers.ts";
import { classify } from "./classify.ts";
import { explainInputs } from "./explain-inputs.ts";
import { explainLoops } from "./explain-loops.ts";
import { explainMaster } from "./explain-master.ts";
import type {
  ConnectionExplanation,
  Explanation,
  OrderExplanation,
  UnitExplanation,
  UnitLink,
} from "./explanation.ts";
import { recommend } from "./recommend.ts";

export function explainScenario(scenario: Scenario, compiled: Compiled): Explanation {
  const { plan } = compiled;
  const connections = explainConnections(scenario, compiled);
  const loops = explainLoops(scenario, connections, plan.coupling);
  return {
    name: scenario.name,
    units: scenario.units.map(explainUnit),
    connections,
    couplings: couplings(scenario),
    loops,
    openInputs: explainInputs(scenario),
    faults: actingFaults(scenario).map((fault) => ({
      name: fault.name,
      text: fault.text,
      when: triggerWords(fault),
      instants: knownInstants(fault) ?? [],
    })),
    rates: plan.units.map(({ name, ticks }) => ({ unit: name, ticks, seconds: ticks * plan.step })),
    order: explainOrder(compiled),
    master: explainMaster(scenario, compiled),
    recommendation: recommend(scenario, loops, compiled.recorded),
    classification: classify(scenario, plan, connections),
  };
}

function explainUnit({ name, source, description, isolation }: ScenarioUnit): UnitExplanation {
  const kinds = unitKind(description);
  // What faults need besides is listed with the faults.
  const inputs = kinds.inputs.filter(({ port }) => !port.observed);
  const outputs = kinds.outputs.filter(({ port }) => !port.track);
  const c = description.capabilities;
  const abilities: [boolean, string, string][] = [
    [c.rollback, "rollback", "no rollback"],
    [c.variableStep, "steps of any size", "constant steps only"],
    [c.inputDerivativeOrder > 0, "input slopes", "no input slopes"],
    [c.directionalDerivatives, "directional derivatives", "no directional derivatives"],
    [c.eventMode, "events", ""],
    [c.intermediateUpdate, "intermediate updates", ""],
    [c.serialize, "its state as bytes", ""],
    [!c.oncePerProcess, "", "one instance per process"],
    [!c.needsExecutionTool, "", "needs its tool"],
  ];
  const named = (list: readonly { readonly port: { readonly name: string } }[]): string[] =>
    list.map(({ port }) => port.name);
  const around = adaptationsAround(source);
  return {
    name,
    backend: around.length > 0 ? around.join(" in ") : kindOfSource(source, description),
    model: around.length > 0 ? name : description.name,
    reactive: named(inputs.filter(({ kind }) => kind === "reactive")),
    delayed: named(inputs.filter(({ kind }) => kind === "delayed")),
    undeclared: named(inputs.filter(({ kind }) => kind === "undeclared")),
    mealy: named(outputs.filter(({ kind }) => kind === "Mealy")),
    moore: named(outputs.filter(({ kind }) => kind === "Moore")),
    undisclosed:
      inputs.length === 0
        ? []
        : named(outputs.filter(({ port }) => port.feedThrough === undefined)),
    ...(isolation !== undefined && { process: isolationWords(isolation) }),
    can: abilities.flatMap(([is, can]) => (is && can !== "" ? [can] : [])),
    cannot: abilities.flatMap(([is, , cannot]) => (!is && cannot !== "" ? [cannot] : [])),
  };
}

function kindOfSource({ kind }: ScenarioUnit["source"], { backend }: UnitDescription): string {
  if (kind === "formula") return kind;
  const { isFmu, noun, label } = BACKENDS[backend];
  return SOURCES[kind].noun ?? (isFmu ? noun : label);
}

/**
 * The unit as written, then its adaptations, innermost first: `decay.fmu in multi-rate { rate: 10
 * }`.
 */
function adaptationsAround(source: ScenarioUnit["source"]): string[] {
  if (source.kind !== "adapted") return [];
  const { inner, adaptation, arguments: given } = source;
  const inside = inner.kind === "adapted" ? adaptationsAround(inner) : [writtenName(inner)];
  const values = given.map(({ name, value }) => `${name}: ${String(value)}`).join(", ");
  return [...inside, values === "" ? adaptation : `${adaptation} { ${values} }`];
}

function writtenName(source: Exclude<UnitSource, AdaptedSource>): string {
  if (source.kind === "remote") return placesText(source);
  return source.kind === "scenario" || source.kind === "group" ? source.scenario.name : source.path;
}

function explainConnections(
  scenario: Scenario,
  { plan, inputs }: Compiled,
): ConnectionExplanation[] {
  const delayed = new Set(plan.loops.flatMap((loop) => loop.delayed));
  const parts = partsOf(plan);
  return scenario.connections.map((connection, c): ConnectionExplanation => {
    const { from, to } = connection;
    const source = portName(scenario, from);
    const target = portName(scenario, to);
    const { approximation, through, takes } = inputs[c];
    const kind = connectedKind(scenario, connection);
    const declaredBy = kind === "undeclared" ? "default" : "unit";
    const conversion = conversionText(connection);
    return {
      from: source,
      to: target,
      approximation,
      through,
      takes,
      kind,
      kindFrom: connection.kind === undefined ? declaredBy : "connection",
      heldThoughReactive: kind === "reactive" && takes !== "end",
      delayed: delayed.has(`${source} → ${target}`),
      ...(conversion && { conversion }),
      ...(MASTERS[plan.master].coordinates && {
        exchanges: exchangesOf(scenario, chooseTrigger(scenario, connection, plan.step)),
      }),
      ...(through === "micro-steps" ? { parts: parts[to.unit] } : {}),
    };
  });
}

function exchangesOf(
  scenario: Scenario,
  { trigger, reason }: TriggerChoice,
): NonNullable<ConnectionExplanation["exchanges"]> {
  return { when: triggerText(trigger, scenario), reason };
}

function conversionText({ conversion, factor, offset, mapping }: Connection): string {
  if (mapping) return "value table";
  const formula = [
    factor === 1 ? "" : `· ${factor}`,
    offset === 0 ? "" : `${offset < 0 ? "-" : "+"} ${Math.abs(offset)}`,
  ].filter((part) => part !== "");
  if (conversion === undefined) return formula.join(" ");
  return formula.length === 0 ? conversion : `${conversion} (${formula.join(" ")})`;
}

/** Into how many parts the step of every unit is divided. */
function partsOf(plan: Plan): number[] {
  if (plan.coupling) return plan.coupling.stages.map(({ parts }) => parts);
  const parts = plan.units.map(() => 1);
  const { step } = plan.segments;
  for (let pc = 0; pc < step.length; pc += OP_WIDTH)
    if (step[pc] === Op.Advance) parts[step[pc + 1]] = step[pc + 3];
  return parts;
}

function couplings(scenario: Scenario): UnitLink[] {
  const links = new Map<string, UnitLink>();
  for (const { from, to } of scenario.connections) {
    const key = `${from.unit} ${to.unit}`;
    const [source, target] = [scenario.units[from.unit].name, scenario.units[to.unit].name];
    links.set(key, { from: source, to: target, count: (links.get(key)?.count ?? 0) + 1 });
  }
  return [...links.values()];
}

function explainOrder({ plan, order, inputs }: Compiled): OrderExplanation {
  const isIterated = plan.coupling !== undefined && iterates(plan.coupling.settings);
  return {
    matters: isIterated || inputs.some(({ takes }) => takes === "end"),
    units: order.units.map((unit, i) => ({
      name: plan.units[unit].name,
      reason: order.reasons[i],
    })),
  };
}
