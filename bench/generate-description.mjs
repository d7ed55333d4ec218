/**
 * Writes a modelDescription.xml with many variables, for measuring how fast descriptions are read.
 *
 *   node bench/generate-description.mjs <fmi version: 2|3> <variables> [seed] > modelDescription.xml
 *
 * The mix follows what exported plant models look like: long hierarchical names, mostly local Reals
 * with a declared type, some parameters, few inputs and outputs, states with derivatives,
 * dependencies of a handful of entries. The same arguments always give the same text.
 */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Uniform numbers in [0, 1) from a 32-bit state (the mulberry32 recurrence). */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const PARTS = [
  "drive",
  "gear",
  "shaft",
  "bearing",
  "pump",
  "valve",
  "tank",
  "heater",
  "controller",
  "sensor",
];
const QUANTITIES = [
  ["phi", "Angle", "rad"],
  ["w", "AngularVelocity", "rad/s"],
  ["tau", "Torque", "N.m"],
  ["T", "ThermodynamicTemperature", "K"],
  ["p", "AbsolutePressure", "Pa"],
  ["m_flow", "MassFlowRate", "kg/s"],
];
const UNITS = [
  ["rad", 'rad="1"', '<DisplayUnit name="deg" factor="57.29577951308232"/>'],
  ["rad/s", 's="-1" rad="1"', '<DisplayUnit name="rpm" factor="9.549296585513721"/>'],
  ["N.m", 'kg="1" m="2" s="-2"', ""],
  ["K", 'K="1"', '<DisplayUnit name="degC" offset="-273.15"/>'],
  ["Pa", 'kg="1" m="-1" s="-2"', '<DisplayUnit name="bar" factor="1e-5"/>'],
  ["kg/s", 'kg="1" s="-1"', ""],
];

/** One variable before it is written in the words of a version. */
function makeVariables(count, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const variables = [];
  for (let i = 0; i < count; i++) {
    const [symbol, quantity, unit] = pick(QUANTITIES);
    const name = `plant.${pick(PARTS)}${i % 97}.${pick(PARTS)}[${1 + (i % 12)}].${symbol}_${i}`;
    const kind = random();
    const value = (random() * 200 - 100).toPrecision(12);
    const base = {
      index: i,
      name,
      quantity,
      unit,
      value,
      description: `${quantity} of ${pick(PARTS)} ${i}`,
    };
    if (kind < 0.6) variables.push({ ...base, causality: "local", variability: "continuous" });
    else if (kind < 0.65)
      variables.push({ ...base, causality: "local", variability: "continuous", state: true });
    else if (kind < 0.85)
      variables.push({ ...base, causality: "parameter", variability: "fixed", start: true });
    else if (kind < 0.88)
      variables.push({ ...base, causality: "input", variability: "continuous", start: true });
    else if (kind < 0.91)
      variables.push({ ...base, causality: "output", variability: "continuous" });
    else if (kind < 0.95)
      variables.push({ ...base, causality: "local", variability: "discrete", type: "integer" });
    else if (kind < 0.99)
      variables.push({ ...base, causality: "local", variability: "discrete", type: "boolean" });
    else
      variables.push({
        ...base,
        causality: "parameter",
        variability: "fixed",
        start: true,
        type: "string",
      });
  }
  return variables;
}

const TYPE_NAMES = {
  2: { real: "Real", integer: "Integer", boolean: "Boolean", string: "String" },
  3: { real: "Float64", integer: "Int32", boolean: "Boolean", string: "String" },
};

function writeVariable(version, v) {
  const type = TYPE_NAMES[version][v.type ?? "real"];
  const head = `name="${v.name}" valueReference="${v.index}" description="${v.description}" causality="${v.causality}" variability="${v.variability}"`;
  const isReal = v.type === undefined;
  const declared = isReal
    ? ` declaredType="Modelica.Units.SI.${v.quantity}" min="-1e6" max="1e6"`
    : "";
  const initial = v.state ? ' initial="exact"' : "";
  const hasStart = v.start || v.state;
  if (version === 2) {
    const start = hasStart ? ` start="${v.value}"` : "";
    const derivative = v.derivativeOf === undefined ? "" : ` derivative="${v.derivativeOf + 1}"`;
    return `    <ScalarVariable ${head}${initial}>\n      <${type}${declared}${start}${derivative}/>\n    </ScalarVariable>\n`;
  }
  const derivative = v.derivativeOf === undefined ? "" : ` derivative="${v.derivativeOf}"`;
  if (type === "String")
    return `    <String ${head}>\n      <Start value="${v.value}"/>\n    </String>\n`;
  return `    <${type} ${head}${declared}${initial}${hasStart ? ` start="${v.value}"` : ""}${derivative}/>\n`;
}

function addDerivatives(variables) {
  let waiting;
  for (const v of variables) {
    if (v.state) waiting = v;
    else if (waiting && v.causality === "local" && v.type === undefined) {
      v.derivativeOf = waiting.index;
      waiting = undefined;
    }
  }
}

function writeStructure(version, variables, random) {
  const number = (v) => (version === 2 ? v.index + 1 : v.index);
  const inputs = variables.filter((v) => v.causality === "input");
  const outputs = variables.filter((v) => v.causality === "output");
  const derivatives = variables.filter((v) => v.derivativeOf !== undefined);
  const dependencies = () => {
    const some = Array.from({ length: Math.min(5, inputs.length) }, () =>
      number(inputs[Math.floor(random() * inputs.length)]),
    );
    return [...new Set(some)].sort((a, b) => a - b);
  };
  const entry = (element, v) => {
    const known = dependencies();
    const kinds = known.map(() => "dependent").join(" ");
    const key = version === 2 ? "index" : "valueReference";
    return `      <${element} ${key}="${number(v)}" dependencies="${known.join(" ")}" dependenciesKind="${kinds}"/>\n`;
  };
  const list = (name, element, entries) => {
    if (entries.length === 0) return "";
    const body = entries.map((v) => entry(version === 2 ? "Unknown" : element, v)).join("");
    return version === 2 ? `    <${name}>\n${body}    </${name}>\n` : body;
  };
  const initial = [...outputs, ...derivatives].sort((a, b) => a.index - b.index);
  return (
    "  <ModelStructure>\n" +
    list("Outputs", "Output", outputs) +
    list("Derivatives", "ContinuousStateDerivative", derivatives) +
    list("InitialUnknowns", "InitialUnknown", initial) +
    "  </ModelStructure>\n"
  );
}

/** The whole text, in pieces. */
export function* generateDescription(version, count, seed = 1) {
  const random = randomNumbers(seed);
  const variables = makeVariables(count, random);
  addDerivatives(variables);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield version === 2
    ? '<fmiModelDescription fmiVersion="2.0" modelName="Plant" guid="{generated}" variableNamingConvention="structured">\n  <CoSimulation modelIdentifier="Plant" canHandleVariableCommunicationStepSize="true"/>\n'
    : '<fmiModelDescription fmiVersion="3.0" modelName="Plant" instantiationToken="{generated}" variableNamingConvention="structured">\n  <CoSimulation modelIdentifier="Plant" canHandleVariableCommunicationStepSize="true"/>\n';
  yield "  <UnitDefinitions>\n";
  for (const [name, base, display] of UNITS)
    yield `    <Unit name="${name}"><BaseUnit ${base}/>${display}</Unit>\n`;
  yield "  </UnitDefinitions>\n  <TypeDefinitions>\n";
  for (const [, quantity, unit] of QUANTITIES) {
    const attributes = `quantity="${quantity}" unit="${unit}" nominal="10"`;
    yield version === 2
      ? `    <SimpleType name="Modelica.Units.SI.${quantity}"><Real ${attributes}/></SimpleType>\n`
      : `    <Float64Type name="Modelica.Units.SI.${quantity}" ${attributes}/>\n`;
  }
  yield '  </TypeDefinitions>\n  <DefaultExperiment startTime="0" stopTime="10" stepSize="0.01"/>\n  <ModelVariables>\n';
  for (const v of variables) yield writeVariable(version, v);
  // FMI 3 demands the independent variable; FMI 2 may leave it out.
  if (version === 3)
    yield `    <Float64 name="time" valueReference="${count}" causality="independent" variability="continuous"/>\n`;
  yield "  </ModelVariables>\n";
  yield writeStructure(version, variables, random);
  yield "</fmiModelDescription>\n";
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [version = "2", count = "100000", seed = "1"] = process.argv.slice(2);
  let batch = "";
  for (const piece of generateDescription(Number(version), Number(count), Number(seed))) {
    batch += piece;
    if (batch.length > 1 << 20) {
      writeSync(1, batch);
      batch = "";
    }
  }
  writeSync(1, batch);
}
