import { describe, expect, it } from "vitest";
import type { FmuDescription, FmuVariable } from "../description.ts";
import { parseModelDescription } from "../parse-description.ts";
import {
  fmi3,
  type Parts,
  readDescription,
  VARIABLE_DEFAULTS,
} from "../testing/description-text.ts";

const read = (parts: Parts): FmuDescription => readDescription(fmi3(parts));

/** One variable element with these attributes and children. */
function variable(element: string, attributes = "", children = "", before = ""): FmuVariable {
  const variables = `<${element} name="v" valueReference="7" ${attributes}>${children}</${element}>`;
  return read({ variables, before, structure: "" }).variables[0]!;
}

const DEFAULTS = { ...VARIABLE_DEFAULTS, variability: "discrete", initial: "calculated" };

describe("FMI 3 description", () => {
  it("[FD20] reads the root", () => {
    expect(read({ root: 'author="a" description="d"' })).toMatchObject({
      fmiVersion: "3.0",
      major: 3,
      modelName: "M",
      instantiationToken: "{t}",
      author: "a",
      description: "d",
    });
  });

  it("[FD21] reads every flag of the three interfaces", () => {
    const shared =
      'modelIdentifier="M" needsExecutionTool="true" canBeInstantiatedOnlyOncePerProcess="true" canGetAndSetFMUState="true" canSerializeFMUState="true" providesDirectionalDerivatives="true" providesAdjointDerivatives="true" providesPerElementDependencies="true"';
    const interfaces = `<ModelExchange ${shared} needsCompletedIntegratorStep="true" providesEvaluateDiscreteStates="true"/><CoSimulation ${shared} canHandleVariableCommunicationStepSize="true" fixedInternalStepSize="0.01" maxOutputDerivativeOrder="3" recommendedIntermediateInputSmoothness="-1" providesIntermediateUpdate="true" mightReturnEarlyFromDoStep="true" canReturnEarlyAfterIntermediateUpdate="true" hasEventMode="true" providesEvaluateDiscreteStates="true"/><ScheduledExecution modelIdentifier="S"/>`;
    const fmu = read({ interfaces });
    const common = {
      modelIdentifier: "M",
      needsExecutionTool: true,
      canBeInstantiatedOnlyOncePerProcess: true,
      canNotUseMemoryManagementFunctions: false,
      canGetAndSetState: true,
      canSerializeState: true,
      providesDirectionalDerivatives: true,
      providesAdjointDerivatives: true,
      providesPerElementDependencies: true,
      completedIntegratorStepNotNeeded: false,
      providesEvaluateDiscreteStates: true,
      sourceFiles: [],
      line: 3,
    };
    expect(fmu.modelExchange).toEqual({ ...common, needsCompletedIntegratorStep: true });
    expect(fmu.coSimulation).toEqual({
      ...common,
      needsCompletedIntegratorStep: false,
      canHandleVariableCommunicationStepSize: true,
      fixedInternalStepSize: 0.01,
      recommendedIntermediateInputSmoothness: -1,
      canInterpolateInputs: false,
      maxOutputDerivativeOrder: 3,
      canRunAsynchronously: false,
      providesIntermediateUpdate: true,
      mightReturnEarlyFromDoStep: true,
      canReturnEarlyAfterIntermediateUpdate: true,
      hasEventMode: true,
    });
    expect(fmu.scheduledExecution).toMatchObject({
      modelIdentifier: "S",
      canGetAndSetState: false,
    });
  });

  it("[FD22] reads inverse display units", () => {
    const before =
      '<UnitDefinitions><Unit name="l/km"><DisplayUnit name="mpg" factor="2.35" inverse="true"/></Unit></UnitDefinitions>';
    expect(read({ before }).units[0]?.displayUnits).toEqual([
      { name: "mpg", factor: 2.35, offset: 0, inverse: true, line: 4 },
    ]);
  });

  it("[FD23] reads every kind of type definition", () => {
    const integers = ["Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64"];
    const before = `<TypeDefinitions><Float32Type name="a" unit="u" min="1"/><Float64Type name="b" quantity="q" description="d" nominal="2"/>${integers
      .map((name) => `<${name}Type name="${name}" min="0" max="9" quantity="q"/>`)
      .join(
        "",
      )}<BooleanType name="c"/><StringType name="d"/><BinaryType name="e" mimeType="text/plain" maxSize="9"/><EnumerationType name="f" min="1" max="2"><Item name="x" value="-1"/></EnumerationType><ClockType name="g" intervalVariability="countdown" canBeDeactivated="true"/></TypeDefinitions>`;
    const types = read({ before }).types;
    expect(types.map(({ line: _, ...type }) => type)).toEqual([
      { name: "a", type: "float32", unit: "u", min: 1 },
      { name: "b", type: "float64", quantity: "q", description: "d", nominal: 2 },
      ...integers.map((name) => ({
        name,
        type: name.toLowerCase(),
        quantity: "q",
        min: name.endsWith("64") ? 0n : 0,
        max: name.endsWith("64") ? 9n : 9,
      })),
      { name: "c", type: "boolean" },
      { name: "d", type: "string" },
      { name: "e", type: "binary", mimeType: "text/plain", maxSize: 9 },
      {
        name: "f",
        type: "enumeration",
        min: 1,
        max: 2,
        items: [{ name: "x", value: -1, line: 4 }],
      },
      {
        name: "g",
        type: "clock",
        clock: {
          intervalVariability: "countdown",
          canBeDeactivated: true,
          shiftDecimal: 0,
          supportsFraction: false,
          shiftCounter: 0n,
        },
      },
    ]);
  });

  it("[FD26] reads a Float64 with all attributes", () => {
    const attributes =
      'description="d" causality="output" variability="discrete" initial="exact" canHandleMultipleSetPerTimeInstant="false" intermediateUpdate="true" previous="8" clocks="9 10" declaredType="T" quantity="q" unit="u" displayUnit="w" relativeQuantity="true" unbounded="false" min="-1" max="1" nominal="2" start="0.5" derivative="3" reinit="true"';
    expect(variable("Float64", attributes)).toEqual({
      ...DEFAULTS,
      type: "float64",
      description: "d",
      causality: "output",
      variability: "discrete",
      initial: "exact",
      canHandleMultipleSetPerTimeInstant: false,
      intermediateUpdate: true,
      previous: 8,
      clocks: [9, 10],
      declaredType: "T",
      quantity: "q",
      unit: "u",
      displayUnit: "w",
      relativeQuantity: true,
      unbounded: false,
      min: -1,
      max: 1,
      nominal: 2,
      start: [0.5],
      derivativeReference: 3,
      derivativeOf: -1,
      reinit: true,
    });
  });

  it.each([
    ["Float32", "-1.5", [-1.5]],
    ["Int8", "-128", [-128]],
    ["UInt8", "255", [255]],
    ["Int16", "-32768", [-32768]],
    ["UInt16", "65535", [65535]],
    ["Int32", "-2147483648", [-2147483648]],
    ["UInt32", "4294967295", [4294967295]],
    ["Int64", "-9223372036854775808", [-9223372036854775808n]],
    ["UInt64", "18446744073709551615", [18446744073709551615n]],
    ["Boolean", "true", [true]],
  ])("[FD26] reads a %s with start %s", (element, start, expected) => {
    const isFloat = element === "Float32";
    expect(variable(element, `start="${start}"`)).toEqual({
      ...DEFAULTS,
      type: element.toLowerCase(),
      variability: isFloat ? "continuous" : "discrete",
      start: expected,
    });
  });

  it.each([
    ["Int8", "128"],
    ["UInt8", "-1"],
    ["Int16", "1.5"],
    ["UInt32", "4294967296"],
    ["Int64", "9223372036854775808"],
    ["UInt64", "-1"],
    ["Boolean", "yes"],
    ["Float64", "1 2 x"],
  ])("[FD15] refuses %s with start %s", (element, start) => {
    const variables = `<${element} name="v" valueReference="7" start="${start}"/>`;
    const { value, diagnostics } = parseModelDescription(fmi3({ variables, structure: "" }));
    expect(diagnostics.map((d) => d.code)).toEqual(["malformed-attribute"]);
    expect(value?.variables[0]?.start).toBeUndefined();
  });

  it("[FD15] refuses a Binary that is not a hexadecimal number, and keeps its place in the list", () => {
    const variables =
      '<Binary name="v" valueReference="7"><Start value="abc"/><Start value="ab"/></Binary>';
    const { value, diagnostics } = parseModelDescription(fmi3({ variables, structure: "" }));
    expect(diagnostics.map((d) => d.code)).toEqual(["malformed-attribute"]);
    expect(value?.variables[0]?.start).toEqual([new Uint8Array(), new Uint8Array([0xab])]);
  });

  it.each([
    ["Clock", 'intervalVariability="triggered" intermediateUpdate="true"'],
    ["Clock", 'intervalVariability="triggered" start="true"'],
    ["Boolean", 'unit="m"'],
    ["Int32", 'nominal="1"'],
    ["String", 'start="a"'],
    ["Binary", 'start="00"'],
  ])("[FD10] refuses a %s with %s", (element, attributes) => {
    const variables = `<${element} name="v" valueReference="7" ${attributes}/>`;
    const { diagnostics } = parseModelDescription(fmi3({ variables, structure: "" }));
    expect(diagnostics.map((d) => d.code)).toEqual(["unknown-attribute"]);
  });

  it("[FD26] reads strings, binaries and enumerations", () => {
    expect(variable("String", "", '<Start value="a &lt; b"/><Start value=""/>').start).toEqual([
      "a < b",
      "",
    ]);
    const binary = variable("Binary", 'mimeType="x/y" maxSize="4"', '<Start value="00fFA0"/>');
    expect(binary).toMatchObject({
      mimeType: "x/y",
      maxSize: 4,
      start: [new Uint8Array([0, 255, 160])],
    });
    expect(variable("Binary", "", "<Start/>").start).toEqual([new Uint8Array()]);
    const enumeration = variable(
      "Enumeration",
      'declaredType="E" start="2" min="1" max="3" quantity="q"',
    );
    expect(enumeration).toMatchObject({
      type: "enumeration",
      declaredType: "E",
      start: [2],
      min: 1,
      max: 3,
    });
  });

  it.each([
    ["Float64", 'causality="parameter"', "fixed", "exact"],
    ["Int32", 'causality="parameter" variability="tunable"', "tunable", "exact"],
    ["UInt64", 'causality="structuralParameter"', "fixed", "exact"],
    ["Float64", 'causality="calculatedParameter"', "fixed", "calculated"],
    ["Float64", 'causality="input"', "continuous", "exact"],
    ["Int32", 'causality="input"', "discrete", "exact"],
    ["Float32", 'causality="output"', "continuous", "calculated"],
    ["Boolean", 'causality="output"', "discrete", "calculated"],
    ["Float64", 'causality="output" variability="constant"', "constant", "exact"],
    ["Float64", 'causality="local" variability="fixed"', "fixed", "calculated"],
    ["Float64", 'causality="independent"', "continuous", undefined],
    ["Float64", 'causality="input" variability="fixed"', "fixed", undefined],
    ["String", "", "discrete", "calculated"],
  ])("[FD27] %s with %s is %s, initial %s", (element, attributes, variability, initial) => {
    const read = variable(element, attributes);
    expect([read.variability, read.initial]).toEqual([variability, initial]);
  });

  it("[FD28] reads arrays with fixed and parameter-dependent dimensions", () => {
    const array = variable(
      "Float64",
      'start="1  2\n3 4 INF -INF"',
      '<Dimension start="2"/>\n<Dimension valueReference="3"/>',
    );
    expect(array.dimensions).toEqual([
      { size: 2, line: 6 },
      { reference: 3, line: 7 },
    ]);
    const { POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;
    expect(array.start).toEqual([1, 2, 3, 4, POSITIVE_INFINITY, NEGATIVE_INFINITY]);
    expect(variable("Boolean", 'start="true false 1 0"', '<Dimension start="4"/>').start).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(variable("Int64", 'start="1 2"', '<Dimension start="2"/>').start).toEqual([1n, 2n]);
  });

  it("[FD49] refuses more elements than units may have, at the line that goes too far", () => {
    const found = (variables: string): string[] =>
      parseModelDescription(fmi3({ variables })).diagnostics.map(
        ({ code, place, message }) => `${code}@${place.line} ${message}`,
      );
    const array = (name: string, reference: number, ...sizes: string[]): string =>
      `<Float64 name="${name}" valueReference="${reference}" start="0">${sizes.map((size) => `<Dimension ${size}/>`).join("")}</Float64>\n`;
    expect(found(array("a", 1, 'start="4294967295"'))[0]).toMatch(
      /^too-many-elements@\d+ with 'a' \(4294967295\)/,
    );
    // Small ones multiply, and many variables add up.
    expect(found(array("a", 1, 'start="2000"', 'start="2001"')).length).toBe(1);
    const [first, ...more] = found(
      [1, 2, 3, 4, 5].map((k) => array(`v${k}`, k, 'start="1000000"')).join(""),
    );
    expect(first).toContain("with 'v5' (1000000) the FMU has 5000");
    expect(more).toEqual([]);
    const structural = (size: number): string =>
      `<UInt64 name="n" valueReference="9" causality="structuralParameter" variability="fixed" start="${size}"/>\n`;
    expect(found(structural(10_000_000) + array("a", 1, 'valueReference="9"'))[0]).toContain("'a'");
    // No dimension is too large to be counted, and what fits is read without a word.
    const huge = Array.from({ length: 40 }, () => 'start="9007199254740991"');
    expect(found(array("a", 1, ...huge, 'start="0"')).length).toBe(1);
    expect(found(structural(1000) + array("a", 1, 'valueReference="9"', 'start="3000"'))).toEqual(
      [],
    );
  });

  it("[FD29] reads clocks, with what the declared type lends", () => {
    const attributes =
      'causality="input" canBeDeactivated="true" priority="4" intervalVariability="tunable" intervalDecimal="0.5" shiftDecimal="0.1" supportsFraction="true" resolution="1000" intervalCounter="500" shiftCounter="100"';
    expect(variable("Clock", attributes)).toEqual({
      ...omit(DEFAULTS, "initial"),
      type: "clock",
      causality: "input",
      clock: {
        canBeDeactivated: true,
        priority: 4,
        intervalVariability: "tunable",
        intervalDecimal: 0.5,
        shiftDecimal: 0.1,
        supportsFraction: true,
        resolution: 1000n,
        intervalCounter: 500n,
        shiftCounter: 100n,
      },
    });
    const before =
      '<TypeDefinitions><ClockType name="T" intervalVariability="constant" intervalDecimal="2" priority="1"/></TypeDefinitions>';
    const lent = variable(
      "Clock",
      'declaredType="T" intervalVariability="fixed" priority="2"',
      "",
      before,
    );
    expect(lent.clock).toEqual({
      intervalVariability: "fixed",
      intervalDecimal: 2,
      priority: 2,
      canBeDeactivated: false,
      shiftDecimal: 0,
      supportsFraction: false,
      shiftCounter: 0n,
    });
  });

  it("[FD30] reads aliases", () => {
    const aliases = '<Alias name="w" description="d" displayUnit="deg"/><Alias name="z"/>';
    expect(variable("Float64", "", aliases).aliases).toEqual([
      { name: "w", description: "d", displayUnit: "deg", line: 5 },
      { name: "z", line: 5 },
    ]);
  });

  it("[FD24] lends binary and integer attributes too", () => {
    const before =
      '<TypeDefinitions><BinaryType name="T" mimeType="a/b" maxSize="3"/><UInt64Type name="U" max="18446744073709551615"/></TypeDefinitions>';
    expect(variable("Binary", 'declaredType="T" maxSize="2"', "", before)).toMatchObject({
      mimeType: "a/b",
      maxSize: 2,
    });
    expect(variable("UInt64", 'declaredType="U"', "", before).max).toBe(18446744073709551615n);
  });

  it("[FD31] reads and resolves the model structure by value reference", () => {
    const variables =
      '<Float64 name="x" valueReference="50"/><Float64 name="dx" valueReference="60" derivative="50"/><Float64 name="z" valueReference="70"/><Float64 name="y" valueReference="80" causality="output"/>';
    const structure =
      '<Output valueReference="80" dependencies="50 60 1" dependenciesKind="tunable discrete fixed"/><ContinuousStateDerivative valueReference="60"/><ClockedState valueReference="70"/><InitialUnknown valueReference="80" dependencies=""/><EventIndicator valueReference="70"/>';
    const fmu = read({ variables, structure });
    expect(fmu.variables[1]?.derivativeOf).toBe(0);
    const { outputs, derivatives, clockedStates, initialUnknowns, eventIndicators } = fmu.structure;
    expect(outputs).toEqual([
      {
        reference: 80,
        variable: 3,
        dependencyReferences: [50, 60, 1],
        dependencies: [0, 1, -1],
        dependencyKinds: ["tunable", "discrete", "fixed"],
        line: 6,
      },
    ]);
    expect(derivatives[0]).toEqual({ reference: 60, variable: 1, line: 6 });
    expect(clockedStates[0]?.variable).toBe(2);
    expect(initialUnknowns[0]?.dependencies).toEqual([]);
    expect(eventIndicators[0]?.variable).toBe(2);
  });

  it("[FD32] keeps annotations wherever the schema allows them", () => {
    const note = (type: string): string =>
      `<Annotations><Annotation type="${type}">t</Annotation></Annotations>`;
    const fmu = read({
      interfaces: `<CoSimulation modelIdentifier="M">${note("interface")}</CoSimulation>`,
      before: `<UnitDefinitions><Unit name="u"><DisplayUnit name="d">${note("display")}</DisplayUnit>${note("unit")}</Unit></UnitDefinitions><TypeDefinitions><EnumerationType name="E">${note("type")}<Item name="i" value="1">${note("item")}</Item></EnumerationType></TypeDefinitions><LogCategories><Category name="c">${note("category")}</Category></LogCategories><DefaultExperiment>${note("experiment")}</DefaultExperiment>`,
      variables: `<Float64 name="y" valueReference="1">${note("variable")}<Dimension start="1"/></Float64>`,
      structure: `<Output valueReference="1">${note("output")}</Output>`,
      after: note("model"),
    });
    expect(fmu.annotations.map((a) => a.type)).toEqual([
      "interface",
      "display",
      "unit",
      "type",
      "item",
      "category",
      "experiment",
      "output",
      "model",
    ]);
    expect(fmu.variables[0]?.annotations).toEqual([
      { type: "variable", xml: '<Annotation type="variable">t</Annotation>', line: 5 },
    ]);
  });
});

function omit<T extends object, Key extends keyof T>(object: T, key: Key): Omit<T, Key> {
  const { [key]: _, ...rest } = object;
  return rest;
}
