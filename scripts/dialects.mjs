/**
 * FMUs and packages as other tools write them, made of our fixtures: what is seen in the wild and is
 * not, or not quite, as the standards say, and has one meaning. Each must be opened and run
 * (tests/dialects.test.ts, `npm run compatibility -- --write`).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { ROOT } from "./setup.mjs";

const XML = "modelDescription.xml";
const MASS = "MassSpringDamperLeft";

/** By name: the fixture, and what is written in another way: a pattern and what stands there. */
const DESCRIPTIONS = {
  "input-without-start": [
    `fmi2/${MASS}`,
    /(name="F_e"[\s\S]*?<Real declaredType="Force") start="0"/,
    "$1",
  ],
  "parameter-without-start": [
    `fmi2/${MASS}`,
    /(name="c" [\s\S]*?<Real unit="N\/m") start="1"/,
    "$1",
  ],
  "initial-of-an-input": [`fmi2/${MASS}`, 'name="F_e"', 'name="F_e" initial="exact"'],
  "flag-of-another-version": [`fmi2/${MASS}`, "<CoSimulation ", '<CoSimulation stepSize="0.001" '],
  "flags-in-capitals": [`fmi2/${MASS}`, 'FMUstate="true"', 'FMUstate="True"'],
  "name-twice": [`fmi2/${MASS}`, 'name="v_0"', 'name="x_0"'],
  "variable-twice": [
    `fmi2/${MASS}`,
    /(<ScalarVariable name="v_0"[\s\S]*?<\/ScalarVariable>)/,
    "$1$1",
  ],
  "unknown-of-index-0": [
    `fmi2/${MASS}`,
    'index="3" dependencies="3"',
    'index="0" dependencies="0"',
  ],
  "depends-on-nothing-known": [`fmi3/${MASS}`, '"1 2 3"', '"1 2 4294967295"'],
  "no-structure": [`fmi2/${MASS}`, /<ModelStructure>[\s\S]*<\/ModelStructure>/, ""],
  "empty-structure": [
    `fmi2/${MASS}`,
    /<ModelStructure>[\s\S]*<\/ModelStructure>/,
    "<ModelStructure/>",
  ],
  "units-not-defined": [`fmi2/${MASS}`, /<UnitDefinitions>[\s\S]*<\/UnitDefinitions>/, ""],
  "types-not-defined": [`fmi2/${MASS}`, /<TypeDefinitions>[\s\S]*<\/TypeDefinitions>/, ""],
  "type-of-no-name": [`fmi2/${MASS}`, 'declaredType="Force"', 'declaredType=""'],
  "item-by-name": [`fmi2/${MASS}`, '"InputOrder" start="1"', '"InputOrder" start="linear"'],
  "no-variability": ["fmi2/Feedthrough", / variability="[a-z]+"/g, ""],
  "continuous-booleans": [
    "fmi2/Feedthrough",
    /variability="discrete"/g,
    'variability="continuous"',
  ],
  "empty-experiment": [
    `fmi2/${MASS}`,
    /<DefaultExperiment[^>]*>/,
    '<DefaultExperiment stopTime="" stepSize=""/>',
  ],
  "experiment-of-zeros": [
    `fmi2/${MASS}`,
    /<DefaultExperiment[^>]*>/,
    '<DefaultExperiment stopTime="0" stepSize="0" tolerance="0"/>',
  ],
  "no-experiment": [`fmi2/${MASS}`, /<DefaultExperiment[^>]*>/, ""],
  "empty-start-values": [`fmi2/${MASS}`, /start="1"/g, 'start=""'],
  "nominal-of-zero": [`fmi2/${MASS}`, 'min="1e-9"', 'nominal="0"'],
  "version-2": [`fmi2/${MASS}`, 'fmiVersion="2.0"', 'fmiVersion="2"'],
  "version-3-beta": [`fmi3/${MASS}`, 'fmiVersion="3.0"', 'fmiVersion="3.0-beta.2"'],
  "date-in-words": [
    `fmi2/${MASS}`,
    'license="MIT"',
    'generationDateAndTime="Mon Jan 1 10:00:00 2018"',
  ],
  "order-of-elements": [
    `fmi3/${MASS}`,
    "<ModelVariables>",
    '<VendorAnnotations><Tool name="x"/></VendorAnnotations><ModelVariables>',
  ],
  "namespace-by-default": [
    `fmi2/${MASS}`,
    "<fmiModelDescription ",
    '<fmiModelDescription xmlns="urn:fmi" ',
  ],
  "no-model-name": [`fmi2/${MASS}`, ` modelName="${MASS}"`, ""],
  "entities-of-html": [`fmi2/${MASS}`, "force on the mass", "20 &deg;C"],
  "document-type": [`fmi2/${MASS}`, "?>\n", "?>\n<!DOCTYPE fmiModelDescription>\n"],
  "encoding-by-name-only": [`fmi2/${MASS}`, 'encoding="UTF-8"', 'encoding="ISO-8859-1"'],
  "byte-order-mark": [`fmi2/${MASS}`, /^/, "\ufeff"],
  "derivative-of-nothing": [`fmi2/${MASS}`, 'derivative="3"', 'derivative="99"'],
};

/** By name: what becomes of the name of each entry. */
const ARCHIVES = {
  "names-with-dots": (name) => `./${name}`,
  "names-with-backslashes": (name) => name.replaceAll("/", "\\"),
  "folder-around": (name) => `${MASS}/${name}`,
};

const SSP = "http://ssp-standard.org/SSP1/SystemStructure";
const NAMESPACES = ["ssd Description", "ssc Common", "ssv ParameterValues", "ssm ParameterMapping"]
  .map((line) => line.split(" "))
  .map(([prefix, name]) => `xmlns:${prefix}="${SSP}${name}"`)
  .join(" ");

const structure = (system, { head = NAMESPACES, version = "1.0", tail = "" } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription ${head} name="model" version="${version}">
  <ssd:System name="root">${system}</ssd:System>
  <ssd:DefaultExperiment startTime="0.000000" stopTime="1.000000">${tail}</ssd:DefaultExperiment>
</ssd:SystemStructureDescription>`;
const connector = (name, kind, type = "<ssc:Real />") =>
  `<ssd:Connector name="${name}" kind="${kind}">${type}<ssd:ConnectorGeometry x="0.000000" y="0.500000" /></ssd:Connector>`;
const component = (name, file, connectors, { more = "", attributes = "" } = {}) =>
  `<ssd:Component name="${name}" type="application/x-fmu-sharedlibrary" source="resources/${file}.fmu" ${attributes}>
    <ssd:Connectors>${connectors.join("")}</ssd:Connectors>${more}</ssd:Component>`;
const connection = (from, to) => {
  const [start, end] = [from, to].map((text) => text.split(":"));
  return `<ssd:Connection startElement="${start[0]}" startConnector="${start[1]}" endElement="${end[0]}" endConnector="${end[1]}" />`;
};
const elements = (...list) => `<ssd:Elements>${list.join("")}</ssd:Elements>`;
const connections = (...list) => `<ssd:Connections>${list.join("")}</ssd:Connections>`;
const values = (...parameters) =>
  `<ssv:ParameterSet version="1.0" name="parameters"><ssv:Parameters>${parameters
    .map(([name, value]) => `<ssv:Parameter name="${name}">${value}</ssv:Parameter>`)
    .join("")}</ssv:Parameters></ssv:ParameterSet>`;
const bound = (set, mapping = "") =>
  `<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>${set}</ssd:ParameterValues>${mapping}</ssd:ParameterBinding></ssd:ParameterBindings>`;
const real = (value, more = "") => `<ssv:Real value="${value}" ${more}/>`;
const note = (type, content) =>
  `<ssd:Annotations><ssc:Annotation type="${type}">${content}</ssc:Annotation></ssd:Annotations>`;
const solver = (content) => note("org.example", `<x:Solver xmlns:x="urn:x">${content}</x:Solver>`);

const IN = connector("Float64_continuous_input", "input");
const OUT = connector("Float64_continuous_output", "output");
const PASS = component("pass", "Feedthrough", [IN, OUT]);
const OTHER = component("other", "Feedthrough", [IN, OUT]);
const THROUGH = connection("pass:Float64_continuous_output", "other:Float64_continuous_input");
const INNER = `<ssd:System name="inner"><ssd:Connectors>${connector("in", "input")}${connector("out", "output")}</ssd:Connectors>
  ${elements(PASS)}${connections(
    connection(":in", "pass:Float64_continuous_input"),
    connection("pass:Float64_continuous_output", ":out"),
  )}</ssd:System>`;
const FIXED = '<x:FixedStepMaster stepSize="0.010000" absoluteTolerance="0.000100" />';

/** By name: SystemStructure.ssd, and texts beside it. */
const PACKAGES = {
  "empty-elements-of-connections": [
    structure(
      `${elements(INNER, OTHER)}${connections(connection("inner:out", "other:Float64_continuous_input"))}${solver(FIXED)}`,
    ),
  ],
  "nothing-in-a-system": [
    structure(
      `<ssd:Connectors />${elements(`<ssd:System name="empty"><ssd:Connectors>${connector("C1", "input")}</ssd:Connectors><ssd:Elements /><ssd:Connections /></ssd:System>`, PASS)}<ssd:Connections />`,
    ),
  ],
  "prefixes-not-declared": [
    structure(
      `<ssd:Annotations><ssd:Annotation type="org.example"><x:Information>${FIXED}</x:Information></ssd:Annotation></ssd:Annotations>${elements(PASS)}`,
      { head: "" },
    ),
  ],
  "step-in-an-element": [
    structure(
      `<ssd:SimulationInformation><FixedStepMaster stepSize="0.1"/></ssd:SimulationInformation>${elements(PASS)}`,
    ),
  ],
  "base-step": [
    structure(elements(PASS), { tail: solver('<x:FixedStepAlgorithm baseStepSize="0.02"/>') }),
  ],
  "solver-without-step": [
    structure(
      `${elements(component("ball", "BouncingBall", [connector("h", "output")], { attributes: 'implementation="ModelExchange"' }))}${solver('<x:VariableStepSolver minimumStepSize="1e-12" maximumStepSize="0.001" initialStepSize="1e-06" />')}`,
    ),
  ],
  "interface-not-offered": [
    structure(
      elements(
        component("pass", "Feedthrough", [IN, OUT], {
          attributes: 'implementation="ModelExchange"',
        }),
      ),
    ),
  ],
  "units-of-values": [
    structure(
      elements(
        component(
          "pass",
          "Feedthrough",
          [IN, connector("Float64_continuous_output", "output", '<ssc:Real unit="" />')],
          {
            more: bound(
              values(
                ["Float64_continuous_input", real(3, 'unit="bar"')],
                ["Float64_fixed_parameter", real(1, 'unit="-"')],
              ),
            ),
          },
        ),
      ),
    ),
  ],
  "values-for-outputs": [
    structure(
      elements(
        component("pass", "Feedthrough", [IN, OUT], {
          more: bound(
            values(
              ["Float64_continuous_output", real(3)],
              ["nowhere", real(1)],
              ["Boolean_input", '<ssv:Boolean value="True"/>'],
              ["Int32_input", '<ssv:Integer value="3.0"/>'],
            ),
          ),
        }),
      ),
    ),
  ],
  "integer-to-enumeration": [
    structure(
      `${elements(
        component("pass", "Feedthrough", [connector("Int32_output", "output", "<ssc:Integer />")]),
        component("other", "Feedthrough", [
          connector("Enumeration_input", "input", "<ssc:Enumeration />"),
          connector("Enumeration_output", "output", '<ssc:Enumeration name="Undeclared" />'),
        ]),
      )}${connections(connection("pass:Int32_output", "other:Enumeration_input"))}`,
    ),
  ],
  "connection-from-both-ends": [
    structure(
      `${elements(PASS, OTHER)}${connections(connection("other:Float64_continuous_input", "pass:Float64_continuous_output"), THROUGH, THROUGH)}`,
    ),
  ],
  "connection-from-a-local": [
    structure(
      `${elements(
        component("left", MASS, [
          connector("der(x_1)", "output"),
          connector("x_1", "output"),
          connector("F_e", "input"),
        ]),
        component("right", "MassSpringDamperRight", [
          connector("v_c", "input"),
          connector("x_c", "input"),
          connector("F_c", "output"),
        ]),
      )}${connections(connection("left:der(x_1)", "right:v_c"), connection("left:x_1", "right:x_c"), connection("right:F_c", "left:F_e"))}${solver(FIXED)}`,
    ),
  ],
  "names-with-signs": [
    structure(
      `${elements(PASS, OTHER).replaceAll('name="pass"', 'name="a.b-1 (ü)"')}${connections(THROUGH).replaceAll('"pass"', '"a.b-1 (ü)"')}`,
    ),
  ],
  "mapping-without-version": [
    structure(
      `<ssd:ParameterBindings><ssd:ParameterBinding source="resources/p.ssv"><ssd:ParameterMapping source="resources/p.ssm"/></ssd:ParameterBinding></ssd:ParameterBindings>${elements(PASS)}`,
      { version: "2.0" },
    ),
    {
      "resources/p.ssv": values(["A", real(7)]).replace(" version", ` ${NAMESPACES} version`),
      "resources/p.ssm": `<ns0:ParameterMapping xmlns:ns0="${SSP}ParameterMapping"><ns0:MappingEntry source="A" target="pass.Float64_continuous_input"/><ns0:MappingEntry source="" target="pass.Float64_fixed_parameter"/></ns0:ParameterMapping>`,
    },
  ],
  "signals-in-a-table": [
    structure(
      `${elements(
        `<ssd:Component name="table" type="text/csv" source="resources/signals.csv"><ssd:Connectors>${connector("sig", "output")}</ssd:Connectors></ssd:Component>`,
        PASS,
      )}${connections(connection("table:sig", "pass:Float64_continuous_input"))}`,
    ),
    { "resources/signals.csv": "\ufefftime; sig;\r\n0,0; 1;\r\n0,5; 2;\r\n1,0; 4;\r\n" },
  ],
  "drawings-without-places": [
    structure(
      elements(
        PASS.replace("</ssd:Connectors>", "</ssd:Connectors><ssd:ElementGeometry rotation='0'/>"),
      ),
    ),
  ],
};

/** @returns the files below `folder`, which is made. */
export function writeDialects(folder) {
  mkdirSync(folder, { recursive: true });
  const fixtures = new Map();
  const fixture = (name) => {
    const path = join(ROOT, "fixtures", "build", `${name}.fmu`);
    if (!fixtures.has(name)) fixtures.set(name, readFileSync(path));
    return fixtures.get(name);
  };
  const write = (name, entries) => {
    const path = join(folder, name);
    writeFileSync(path, zipSync(entries));
    return path;
  };
  const encode = (text) => new TextEncoder().encode(text);
  const described = Object.entries(DESCRIPTIONS).map(([name, [base, from, to]]) => {
    const entries = unzipSync(fixture(base));
    const text = new TextDecoder().decode(entries[XML]);
    const edited = text.replace(from, to);
    if (edited === text) throw new Error(`nothing of ${base} is changed by '${name}'`);
    return write(`${name}.fmu`, { ...entries, [XML]: encode(edited) });
  });
  const archived = Object.entries(ARCHIVES).map(([name, renamed]) => {
    const entries = Object.entries(unzipSync(fixture(`fmi2/${MASS}`)));
    return write(
      `${name}.fmu`,
      Object.fromEntries(entries.map(([key, bytes]) => [renamed(key), bytes])),
    );
  });
  const packed = Object.entries(PACKAGES).map(([name, [text, files = {}]]) => {
    const used = new Set([...text.matchAll(/resources\/(\w+)\.fmu/g)].map(([, file]) => file));
    return write(`${name}.ssp`, {
      "SystemStructure.ssd": encode(text),
      ...Object.fromEntries(Object.entries(files).map(([key, content]) => [key, encode(content)])),
      ...Object.fromEntries(
        [...used].map((file) => [`resources/${file}.fmu`, fixture(`fmi2/${file}`)]),
      ),
    });
  });
  return [...described, ...archived, ...packed];
}
