import { describe, expect, it } from "vitest";
import type { FmuDescription, FmuVariable } from "../description.ts";
import {
  fmi2,
  type Parts,
  readDescription,
  VARIABLE_DEFAULTS,
} from "../testing/description-text.ts";

const read = (parts: Parts): FmuDescription => readDescription(fmi2(parts));

/** A scalar variable with these attributes and this type element. */
function variable(attributes: string, type: string, before = ""): FmuVariable {
  const variables = `<ScalarVariable name="v" valueReference="7" ${attributes}>${type}</ScalarVariable>`;
  return read({ variables, before, structure: "" }).variables[0]!;
}

const DEFAULTS = VARIABLE_DEFAULTS;

describe("FMI 2 description", () => {
  it("[FD20] reads every attribute of the root", () => {
    const root =
      'description="d" author="a" version="1.2" copyright="c" license="l" generationTool="g" generationDateAndTime="2024-01-02T03:04:05Z" variableNamingConvention="structured" numberOfEventIndicators="3"';
    expect(read({ root })).toMatchObject({
      fmiVersion: "2.0",
      major: 2,
      modelName: "M",
      instantiationToken: "{g}",
      description: "d",
      author: "a",
      version: "1.2",
      copyright: "c",
      license: "l",
      generationTool: "g",
      generationDateAndTime: "2024-01-02T03:04:05Z",
      variableNamingConvention: "structured",
      numberOfEventIndicators: 3,
      line: 2,
    });
    expect(read({}).variableNamingConvention).toBe("flat");
    expect("author" in read({})).toBe(false);
  });

  it("[FD21] reads every flag of Co-Simulation, and the source files", () => {
    const interfaces =
      '<CoSimulation modelIdentifier="M" needsExecutionTool="true" canHandleVariableCommunicationStepSize="1" canInterpolateInputs="true" maxOutputDerivativeOrder="2" canRunAsynchronuously="true" canBeInstantiatedOnlyOncePerProcess="true" canNotUseMemoryManagementFunctions="true" canGetAndSetFMUstate="true" canSerializeFMUstate="true" providesDirectionalDerivative="true"><SourceFiles><File name="a.c"/><File name="b/c.c"/></SourceFiles></CoSimulation>';
    expect(read({ interfaces }).coSimulation).toEqual({
      modelIdentifier: "M",
      needsExecutionTool: true,
      canHandleVariableCommunicationStepSize: true,
      canInterpolateInputs: true,
      maxOutputDerivativeOrder: 2,
      canRunAsynchronously: true,
      canBeInstantiatedOnlyOncePerProcess: true,
      canNotUseMemoryManagementFunctions: true,
      canGetAndSetState: true,
      canSerializeState: true,
      providesDirectionalDerivatives: true,
      providesAdjointDerivatives: false,
      providesPerElementDependencies: false,
      completedIntegratorStepNotNeeded: false,
      needsCompletedIntegratorStep: false,
      providesEvaluateDiscreteStates: false,
      recommendedIntermediateInputSmoothness: 0,
      providesIntermediateUpdate: false,
      mightReturnEarlyFromDoStep: false,
      canReturnEarlyAfterIntermediateUpdate: false,
      hasEventMode: false,
      sourceFiles: ["a.c", "b/c.c"],
      line: 3,
    });
  });

  it("[FD21] reads Model Exchange; an absent interface is absent", () => {
    const interfaces =
      '<ModelExchange modelIdentifier="N" completedIntegratorStepNotNeeded="true"/>';
    const fmu = read({ interfaces });
    expect(fmu.modelExchange).toMatchObject({
      modelIdentifier: "N",
      completedIntegratorStepNotNeeded: true,
      canGetAndSetState: false,
      sourceFiles: [],
    });
    expect("coSimulation" in fmu).toBe(false);
  });

  it("[FD22] reads units with base units and display units", () => {
    const before =
      '<UnitDefinitions>\n<Unit name="degF"><BaseUnit K="1" factor="0.5555555555555556" offset="255.3722222222222"/><DisplayUnit name="degC" factor="0.5" offset="-17"/></Unit>\n<Unit name="N.m"><BaseUnit kg="1" m="2" s="-2"/></Unit><Unit name="odd"/></UnitDefinitions>';
    expect(read({ before }).units).toEqual([
      {
        unit: {
          name: "degF",
          base: {
            dimension: [0, 0, 0, 0, 1, 0, 0, 0],
            factor: 0.5555555555555556,
            offset: 255.3722222222222,
          },
        },
        displayUnits: [{ name: "degC", factor: 0.5, offset: -17, inverse: false, line: 5 }],
        line: 5,
      },
      {
        unit: { name: "N.m", base: { dimension: [1, 2, -2, 0, 0, 0, 0, 0], factor: 1, offset: 0 } },
        displayUnits: [],
        line: 6,
      },
      { unit: { name: "odd" }, displayUnits: [], line: 6 },
    ]);
  });

  it("[FD23] reads every kind of type definition", () => {
    const before =
      '<TypeDefinitions><SimpleType name="R" description="r"><Real quantity="q" unit="u" displayUnit="d" relativeQuantity="true" min="-INF" max="2" nominal="3" unbounded="true"/></SimpleType><SimpleType name="I"><Integer quantity="q" min="-1" max="1"/></SimpleType><SimpleType name="B"><Boolean/></SimpleType><SimpleType name="S"><String/></SimpleType><SimpleType name="E"><Enumeration quantity="q"><Item name="one" value="1" description="first"/><Item name="two" value="2"/></Enumeration></SimpleType></TypeDefinitions>';
    expect(read({ before }).types).toEqual([
      {
        name: "R",
        type: "float64",
        description: "r",
        quantity: "q",
        unit: "u",
        displayUnit: "d",
        relativeQuantity: true,
        min: Number.NEGATIVE_INFINITY,
        max: 2,
        nominal: 3,
        unbounded: true,
        line: 4,
      },
      { name: "I", type: "int32", quantity: "q", min: -1, max: 1, line: 4 },
      { name: "B", type: "boolean", line: 4 },
      { name: "S", type: "string", line: 4 },
      {
        name: "E",
        type: "enumeration",
        quantity: "q",
        items: [
          { name: "one", value: 1, description: "first", line: 4 },
          { name: "two", value: 2, line: 4 },
        ],
        line: 4,
      },
    ]);
  });

  it("[FD25] reads a Real with all attributes", () => {
    const type =
      '<Real declaredType="T" quantity="q" unit="u" displayUnit="d" relativeQuantity="false" min="-1" max="1e3" nominal=".5" unbounded="true" start="+1.5E-3" derivative="2" reinit="true"/>';
    const attributes =
      'description="d" causality="output" variability="continuous" initial="approx" canHandleMultipleSetPerTimeInstant="false"';
    expect(variable(attributes, type)).toEqual({
      ...DEFAULTS,
      description: "d",
      type: "float64",
      causality: "output",
      variability: "continuous",
      initial: "approx",
      canHandleMultipleSetPerTimeInstant: false,
      declaredType: "T",
      quantity: "q",
      unit: "u",
      displayUnit: "d",
      relativeQuantity: false,
      min: -1,
      max: 1000,
      nominal: 0.5,
      unbounded: true,
      start: [0.0015],
      derivativeReference: 2,
      derivativeOf: -1,
      reinit: true,
    });
  });

  it("[FD25] reads Integer, Boolean, String and Enumeration", () => {
    const local = {
      ...DEFAULTS,
      variability: "discrete",
      assumesVariability: true,
      initial: "calculated",
    };
    expect(variable("", '<Integer quantity="q" min="-3" max="3" start="-2"/>')).toEqual({
      ...local,
      type: "int32",
      quantity: "q",
      min: -3,
      max: 3,
      start: [-2],
    });
    expect(variable("", '<Boolean start="1"/>')).toEqual({
      ...local,
      type: "boolean",
      start: [true],
    });
    expect(variable("", '<String start=" a  b "/>')).toEqual({
      ...local,
      type: "string",
      start: [" a  b "],
    });
    expect(
      variable("", '<Enumeration declaredType="E" min="1" max="2" start="2" quantity="q"/>'),
    ).toEqual({
      ...local,
      type: "enumeration",
      declaredType: "E",
      min: 1,
      max: 2,
      start: [2],
      quantity: "q",
    });
  });

  it.each([
    ['causality="parameter" variability="fixed"', "fixed", "exact"],
    ['causality="parameter" variability="tunable"', "tunable", "exact"],
    ['causality="calculatedParameter" variability="fixed"', "fixed", "calculated"],
    ['causality="calculatedParameter" variability="tunable"', "tunable", "calculated"],
    ['causality="input"', "continuous", undefined],
    ['causality="output"', "continuous", "calculated"],
    ['causality="output" variability="constant"', "constant", "exact"],
    ['causality="output" variability="discrete"', "discrete", "calculated"],
    ['causality="local" variability="constant"', "constant", "exact"],
    ['causality="local" variability="fixed"', "fixed", "calculated"],
    ['causality="local" variability="tunable"', "tunable", "calculated"],
    ["", "continuous", "calculated"],
    ['causality="independent"', "continuous", undefined],
    ['causality="parameter"', "continuous", undefined],
  ])("[FD27] a Real with %s is %s, initial %s", (attributes, variability, initial) => {
    const read = variable(attributes, "<Real/>");
    expect([read.variability, read.initial]).toEqual([variability, initial]);
  });

  it("[FD24] lends what the variable does not state itself", () => {
    const before =
      '<TypeDefinitions><SimpleType name="T"><Real quantity="q" unit="K" displayUnit="degC" relativeQuantity="true" min="0" max="9" nominal="300" unbounded="true"/></SimpleType><SimpleType name="I"><Integer min="1"/></SimpleType></TypeDefinitions>';
    expect(
      variable("", '<Real declaredType="T" max="5" relativeQuantity="false"/>', before),
    ).toMatchObject({
      quantity: "q",
      unit: "K",
      displayUnit: "degC",
      relativeQuantity: false,
      min: 0,
      max: 5,
      nominal: 300,
      unbounded: true,
    });
    expect(variable("", '<Real declaredType="T" unit="W"/>', before).displayUnit).toBeUndefined();
    expect(variable("", '<Real declaredType="I"/>', before).min).toBeUndefined();
    expect(variable("", '<Integer declaredType="I"/>', before).min).toBe(1);
    expect(variable("", '<Real declaredType="none"/>', before).unit).toBeUndefined();
  });

  it("[FD31] reads and resolves the model structure", () => {
    const variables =
      '<ScalarVariable name="x" valueReference="5"><Real/></ScalarVariable><ScalarVariable name="der(x)" valueReference="6"><Real derivative="1"/></ScalarVariable><ScalarVariable name="u" valueReference="7" causality="input"><Real start="0"/></ScalarVariable><ScalarVariable name="y" valueReference="8" causality="output"><Real/></ScalarVariable>';
    const structure =
      '<Outputs><Unknown index="4" dependencies="1 3" dependenciesKind="constant dependent"/></Outputs><Derivatives><Unknown index="2" dependencies=""/></Derivatives><InitialUnknowns>\n<Unknown index="2"/><Unknown index="99" dependencies="98"/></InitialUnknowns>';
    const fmu = read({ variables, structure });
    expect(fmu.variables[1]).toMatchObject({ derivativeReference: 1, derivativeOf: 0 });
    expect(fmu.structure).toEqual({
      outputs: [
        {
          reference: 4,
          variable: 3,
          dependencyReferences: [1, 3],
          dependencies: [0, 2],
          dependencyKinds: ["constant", "dependent"],
          line: 6,
        },
      ],
      derivatives: [
        { reference: 2, variable: 1, dependencyReferences: [], dependencies: [], line: 6 },
      ],
      clockedStates: [],
      initialUnknowns: [
        { reference: 2, variable: 1, line: 7 },
        { reference: 99, variable: -1, dependencyReferences: [98], dependencies: [-1], line: 7 },
      ],
      eventIndicators: [],
      line: 6,
    });
  });

  it("[FD32] keeps vendor annotations of the model and of variables as written", () => {
    const tool =
      '<Tool name="T&amp;U"><any:thing xmlns:any="x" b="1">text &amp; <more/></any:thing></Tool>';
    const fmu = read({
      before: `<VendorAnnotations>${tool}<Tool name="W"/></VendorAnnotations>`,
      variables: `<ScalarVariable name="y" valueReference="1"><Real/><Annotations><Tool name="V"/></Annotations></ScalarVariable>`,
    });
    expect(fmu.annotations).toEqual([
      { type: "T&U", xml: tool, line: 4 },
      { type: "W", xml: '<Tool name="W"/>', line: 4 },
    ]);
    expect(fmu.variables[0]?.annotations).toEqual([
      { type: "V", xml: '<Tool name="V"/>', line: 5 },
    ]);
  });

  it("[FD33] reads log categories and the experiment", () => {
    const before =
      '<LogCategories><Category name="logAll" description="everything"/><Category name="x"/></LogCategories>\n<DefaultExperiment startTime="1" stopTime="2" tolerance="1e-4" stepSize="0.1"/>';
    const fmu = read({ before });
    expect(fmu.logCategories).toEqual([
      { name: "logAll", description: "everything", line: 4 },
      { name: "x", line: 4 },
    ]);
    expect(fmu.experiment).toEqual({ start: 1, stop: 2, tolerance: 1e-4, step: 0.1, line: 5 });
    expect(read({}).experiment).toEqual({});
  });
});
