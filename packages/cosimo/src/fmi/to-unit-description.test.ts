import { describe, expect, it } from "vitest";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { unitKind } from "../model/unit-kind.ts";
import { parseModelDescription } from "./parse-description.ts";
import { fmi2, fmi3, type Parts } from "./testing/description-text.ts";
import { toUnitDescription, type UnitDescriptionOptions } from "./to-unit-description.ts";
import { variableNames } from "./variable-lookup.ts";

function unit(
  version: (parts: Parts) => string,
  parts: Parts,
  options?: UnitDescriptionOptions,
): UnitDescription {
  return toUnitDescription(parseModelDescription(version(parts)).value!, options);
}

function port(description: UnitDescription, name: string): Port {
  return description.ports.find((p) => p.name === name)!;
}

/** `u` is an input, `y` an output; the structure says what y depends on. */
const COUPLED2 =
  '<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable><ScalarVariable name="n" valueReference="1" causality="input" variability="discrete"><Integer start="0"/></ScalarVariable><ScalarVariable name="y" valueReference="2" causality="output"><Real/></ScalarVariable><ScalarVariable name="x" valueReference="3"><Real/></ScalarVariable>';

function coupled2(dependencies: string, flags = ""): UnitDescription {
  return unit(fmi2, {
    interfaces: `<CoSimulation modelIdentifier="M" ${flags}/>`,
    variables: COUPLED2,
    structure: `<Outputs><Unknown index="3" ${dependencies}/></Outputs>`,
  });
}

describe("toUnitDescription", () => {
  it("[FD40] makes one port of each variable, with the same index", () => {
    const description = coupled2("");
    expect(description).toMatchObject({ name: "M", backend: "fmi2", experiment: {} });
    expect(description.ports.map((p) => [p.index, p.name, p.direction, p.type])).toEqual([
      [0, "u", "input", "float64"],
      [1, "n", "input", "int32"],
      [2, "y", "output", "float64"],
      [3, "x", "local", "float64"],
    ]);
    expect(description.ports[0]?.place).toEqual({ file: "modelDescription.xml", line: 5 });
  });

  it("[FD40] carries over descriptions, start values, limits, items and the experiment", () => {
    const description = unit(fmi3, {
      root: 'description="all of it"',
      before:
        '<TypeDefinitions><EnumerationType name="E"><Item name="off" value="0"/><Item name="on" value="1"/></EnumerationType></TypeDefinitions><DefaultExperiment startTime="1" stopTime="2" stepSize="0.5" tolerance="1e-3"/>',
      variables:
        '<Int64 name="i" valueReference="1" description="count" min="-5" max="5" start="3"/><Enumeration name="e" valueReference="2" declaredType="E" start="1"/><Float64 name="f" valueReference="3" nominal="10" unit="u" displayUnit="v"/>',
    });
    expect(description.description).toBe("all of it");
    expect(description.experiment).toEqual({ start: 1, stop: 2, step: 0.5, tolerance: 1e-3 });
    expect(port(description, "i")).toMatchObject({
      description: "count",
      min: -5,
      max: 5,
      start: [3n],
    });
    expect(port(description, "e").items).toEqual(
      new Map([
        [0, "off"],
        [1, "on"],
      ]),
    );
    expect(port(description, "f")).toMatchObject({
      nominal: 10,
      displayUnit: "v",
      unit: { name: "u" },
    });
  });

  it.each([
    ["parameter", "parameter"],
    ["structuralParameter", "structural-parameter"],
    ["calculatedParameter", "calculated-parameter"],
    ["input", "input"],
    ["output", "output"],
    ["local", "local"],
    ["independent", "independent"],
  ])("[FD40] calls causality %s the direction %s", (causality, direction) => {
    const variables = `<Float64 name="v" valueReference="1" causality="${causality}"/>`;
    expect(unit(fmi3, { variables }).ports[0]?.direction).toBe(direction);
  });

  it("[FD41] sizes arrays by constants and structural parameters, as chosen", () => {
    const parts = {
      variables:
        '<UInt64 name="n" valueReference="1" causality="structuralParameter" start="3"/><Float64 name="A" valueReference="2"><Dimension valueReference="1"/><Dimension start="2"/></Float64><Float64 name="s" valueReference="3"/>',
    };
    expect(port(unit(fmi3, parts), "A").shape).toEqual([3, 2]);
    expect(port(unit(fmi3, parts), "s").shape).toEqual([]);
    const structural = new Map([["n", 5]]);
    expect(port(unit(fmi3, parts, { structural }), "A").shape).toEqual([5, 2]);
  });

  it.each([
    ['<Float64 name="v" valueReference="1"/>', "continuous"],
    ['<Float64 name="v" valueReference="1" variability="discrete"/>', "piecewise-constant"],
    ['<Float64 name="v" valueReference="1" variability="tunable"/>', "piecewise-constant"],
    ['<Float64 name="v" valueReference="1" variability="fixed"/>', "constant"],
    ['<Float64 name="v" valueReference="1" variability="constant" start="1"/>', "constant"],
    ['<Float64 name="v" valueReference="1" clocks="2"/>', "piecewise-constant"],
    ['<Int32 name="v" valueReference="1"/>', "piecewise-constant"],
    ['<Clock name="v" valueReference="1" intervalVariability="triggered"/>', "transient"],
  ])("[FD42] %s is %s", (variables, nature) => {
    expect(unit(fmi3, { variables }).ports[0]?.nature).toBe(nature);
  });

  it.each([
    ['causality="parameter"', "fixed", "constant"],
    ['causality="input"', "discrete", "piecewise-constant"],
    ['causality="output" variability="continuous"', "continuous", "piecewise-constant"],
  ])("[FD52] a Boolean of FMI 2 with %s is read as %s", (attributes, variability, nature) => {
    const variables = `<ScalarVariable name="b" valueReference="1" ${attributes}><Boolean start="true"/></ScalarVariable>`;
    expect(unit(fmi2, { variables, structure: "" }).ports[0]).toMatchObject({
      variability,
      nature,
    });
  });

  it("[FD52] an empty unit is none", () => {
    const variables =
      '<ScalarVariable name="x" valueReference="1"><Real unit=""/></ScalarVariable>';
    expect(unit(fmi2, { variables, structure: "" }).ports[0]).not.toHaveProperty("unit");
  });

  it("[FD43] keeps the inputs among the dependencies", () => {
    expect(port(coupled2('dependencies="1 4"'), "y").feedThrough).toEqual([0]);
    expect(port(coupled2('dependencies="4"'), "y").feedThrough).toEqual([]);
    expect(port(coupled2('dependencies=""'), "y").feedThrough).toEqual([]);
    expect("feedThrough" in port(coupled2(""), "y")).toBe(false);
  });

  it("[FD43] knows that an output of a unit without inputs depends on none", () => {
    expect(port(unit(fmi2, {}), "y").feedThrough).toEqual([]);
  });

  it("[FD43] tells the dependencies of state derivatives too", () => {
    const description = unit(fmi3, {
      variables:
        '<Float64 name="u" valueReference="1" causality="input" start="0"/><Float64 name="x" valueReference="2"/><Float64 name="dx" valueReference="3" derivative="2"/>',
      structure: '<ContinuousStateDerivative valueReference="3" dependencies="1 2"/>',
    });
    expect(port(description, "dx").feedThrough).toEqual([0]);
  });

  it("[SC53] knows which port is the derivative of which, by index in FMI 2 and by value reference in FMI 3", () => {
    const two = unit(fmi2, {
      variables:
        '<ScalarVariable name="x" valueReference="7" causality="output"><Real/></ScalarVariable><ScalarVariable name="v" valueReference="8" causality="output"><Real derivative="1"/></ScalarVariable>',
    });
    const three = unit(fmi3, {
      variables:
        '<Float64 name="x" valueReference="7" causality="output"/><Float64 name="v" valueReference="8" causality="output" derivative="7"/>',
    });
    for (const description of [two, three]) {
      const x = port(description, "x");
      expect(port(description, "v").derivativeOf).toBe(x.index);
      expect("derivativeOf" in x).toBe(false);
    }
  });

  it("[FD44] calls continuous inputs of an interpolating FMI 2 FMU reactive", () => {
    const yes = coupled2("", 'canInterpolateInputs="true"');
    expect([port(yes, "u").reactive, port(yes, "n").reactive]).toEqual([true, undefined]);
    expect(port(coupled2(""), "u").reactive).toBeUndefined();
    expect("reactive" in port(yes, "y")).toBe(false);
  });

  it("[FD44] calls inputs that FMI 3 updates inside the step reactive", () => {
    const reactive = (flags: string, attributes: string): boolean | undefined =>
      unit(fmi3, {
        interfaces: `<CoSimulation modelIdentifier="M" ${flags}/>`,
        variables: `<Float64 name="u" valueReference="1" causality="input" start="0" ${attributes}/>`,
      }).ports[0]?.reactive;
    expect(reactive('providesIntermediateUpdate="true"', 'intermediateUpdate="true"')).toBe(true);
    expect(reactive('providesIntermediateUpdate="true"', "")).toBeUndefined();
    expect(reactive("", 'intermediateUpdate="true"')).toBeUndefined();
  });

  it("[FD45] maps the flags of FMI 2", () => {
    const flags =
      'canGetAndSetFMUstate="true" canSerializeFMUstate="true" providesDirectionalDerivative="true" maxOutputDerivativeOrder="2" canInterpolateInputs="true" canHandleVariableCommunicationStepSize="true" canBeInstantiatedOnlyOncePerProcess="true" needsExecutionTool="true"';
    expect(coupled2("", flags).capabilities).toEqual({
      mayDiscard: true,
      rollback: true,
      serialize: true,
      directionalDerivatives: true,
      adjointDerivatives: false,
      outputDerivativeOrder: 2,
      inputDerivativeOrder: 1,
      variableStep: true,
      eventMode: false,
      earlyReturn: false,
      intermediateUpdate: false,
      oncePerProcess: true,
      needsExecutionTool: true,
      predicates: [],
    });
  });

  it("[FD45] maps the flags of FMI 3", () => {
    const capabilities = (flags: string): UnitDescription["capabilities"] =>
      unit(fmi3, {
        interfaces: `<CoSimulation modelIdentifier="M" ${flags}/>`,
        before: '<DefaultExperiment stepSize="0.1"/>',
      }).capabilities;
    expect(capabilities('hasEventMode="true" providesIntermediateUpdate="true"')).toMatchObject({
      eventMode: true,
      intermediateUpdate: true,
      earlyReturn: false,
      predicates: ["event"],
      preferredStep: 0.1,
    });
    expect(capabilities('mightReturnEarlyFromDoStep="true"')).toMatchObject({
      earlyReturn: true,
      predicates: ["event"],
    });
    expect(capabilities('fixedInternalStepSize="0.01"').preferredStep).toBe(0.01);
    expect(capabilities('canSerializeFMUState="true"').serialize).toBe(false);
    expect(capabilities("").predicates).toEqual([]);
  });

  it("[FD45] gives an FMU without Co-Simulation no capabilities", () => {
    const interfaces = '<ModelExchange modelIdentifier="M" canGetAndSetFMUState="true"/>';
    expect(unit(fmi3, { interfaces }).capabilities.rollback).toBe(false);
  });

  it("[FD46] resolves units, without offset for relative quantities", () => {
    const description = unit(fmi3, {
      before:
        '<UnitDefinitions><Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit></UnitDefinitions>',
      variables:
        '<Float64 name="a" valueReference="1" unit="degC"/><Float64 name="b" valueReference="2" unit="degC" relativeQuantity="true"/><Float64 name="c" valueReference="3" unit="furlong"/><Float64 name="d" valueReference="4"/>',
    });
    expect(port(description, "a").unit?.base?.offset).toBe(273.15);
    expect(port(description, "b").unit?.base?.offset).toBe(0);
    expect(port(description, "c").unit).toEqual({ name: "furlong" });
    expect("unit" in port(description, "d")).toBe(false);
  });
});

describe("unitKind", () => {
  it("[FD47] says why an output is Mealy or Moore", () => {
    const why = (dependencies: string): string => {
      const output = unitKind(coupled2(dependencies)).outputs[0]!;
      return `${output.kind}: ${output.why}`;
    };
    expect(why("")).toBe("Mealy: its dependencies are not disclosed, so all inputs are assumed");
    expect(why('dependencies="1 2"')).toBe("Mealy: it depends directly on 'u', 'n'");
    expect(why('dependencies=""')).toBe("Moore: it depends on no input at the same instant");
    expect(unitKind(unit(fmi2, {})).outputs[0]).toMatchObject({
      kind: "Moore",
      why: "the unit has no inputs",
    });
  });

  it("[FD47] shortens long lists of dependencies", () => {
    const inputs = Array.from(
      { length: 9 },
      (_, i) => `<Float64 name="u${i}" valueReference="${i}" causality="input" start="0"/>`,
    );
    const description = unit(fmi3, {
      variables: `${inputs.join("")}<Float64 name="y" valueReference="9" causality="output"/>`,
      structure: '<Output valueReference="9" dependencies="0 1 2 3 4 5 6 7 8"/>',
    });
    expect(unitKind(description).outputs[0]?.why).toBe(
      "it depends directly on 'u0', 'u1', 'u2', 'u3' and 5 more",
    );
  });

  it("[FD47] says why an input is reactive, or that nobody declares it", () => {
    const [u, n] = unitKind(coupled2("", 'canInterpolateInputs="true"')).inputs;
    expect([u?.kind, n?.kind]).toEqual(["reactive", "undeclared"]);
    expect(u?.why).toContain("canInterpolateInputs");
    expect(n?.why).toContain("the master decides");
  });
});

describe("variableNames", () => {
  it("[FD48] finds names and aliases; the first of two equal names wins", () => {
    const variables =
      '<Float64 name="a" valueReference="1"><Alias name="b"/></Float64><Float64 name="c" valueReference="2"><Alias name="a"/></Float64><Float64 name="c" valueReference="3"/>';
    const fmu = parseModelDescription(fmi3({ variables })).value!;
    expect(["a", "b", "c", "d"].map((name) => variableNames(fmu).get(name))).toEqual([
      0,
      0,
      1,
      undefined,
    ]);
    expect(variableNames(fmu)).toBe(variableNames(fmu));
  });
});
