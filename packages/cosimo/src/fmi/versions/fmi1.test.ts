import { describe, expect, it } from "vitest";
import type { FmuDescription } from "../description.ts";
import { parseModelDescription } from "../parse-description.ts";
import { fmi1, type Parts } from "../testing/description-text.ts";
import { toUnitDescription } from "../to-unit-description.ts";
import { validateDescription } from "../validate/validate.ts";

function read(parts: Parts): FmuDescription {
  const { value, diagnostics } = parseModelDescription(fmi1(parts));
  expect(diagnostics).toEqual([]);
  return value!;
}

const variable = (attributes: string, type: string, rest = ""): string =>
  `<ScalarVariable name="v" valueReference="7" ${attributes}>${type}${rest}</ScalarVariable>`;

const one = (attributes: string, type: string) =>
  read({ variables: variable(attributes, type) }).variables[0];

describe("FMI 1 description", () => {
  it.each([
    ['variability="parameter"', '<Real start="2"/>', "parameter", "fixed", "exact"],
    ['variability="parameter"', "<Real/>", "calculatedParameter", "fixed", "calculated"],
    [
      'variability="parameter" causality="input"',
      '<Integer start="2"/>',
      "parameter",
      "fixed",
      "exact",
    ],
    ['causality="input"', '<Real start="2"/>', "input", "continuous", undefined],
    ['causality="output"', "<Real/>", "output", "continuous", "calculated"],
    ['causality="output" variability="discrete"', "<Integer/>", "output", "discrete", "calculated"],
    ['causality="output"', "<Boolean/>", "output", "discrete", "calculated"],
    ['causality="internal"', '<Real start="1"/>', "local", "continuous", "exact"],
    ['causality="none"', '<Real start="1" fixed="false"/>', "local", "continuous", "approx"],
    ['variability="constant"', '<Real start="1"/>', "local", "constant", "exact"],
  ])("[FD53] %s %s is %s, %s, %s", (attributes, type, causality, variability, initial) => {
    const found = one(attributes, type);
    expect(found).toMatchObject({ causality, variability, valueReference: 7 });
    expect(found?.initial).toBe(initial);
  });

  it("[FD53] outputs depend on the inputs that they name, or on all", () => {
    const inputs = ["a", "b &lt; c"].map(
      (name, k) =>
        `<ScalarVariable name="${name}" valueReference="${k}" causality="input"><Real start="0"/></ScalarVariable>`,
    );
    const output = (name: string, list: string): string =>
      `<ScalarVariable name="${name}" valueReference="9" causality="output"><Real/>${list}</ScalarVariable>`;
    const variables = [
      ...inputs,
      output("x", "<DirectDependency><Name>b &lt; c</Name></DirectDependency>"),
      output("y", "<DirectDependency/>"),
      output("z", ""),
    ].join("");
    const { ports } = toUnitDescription(read({ variables }));
    expect(ports.slice(2).map(({ feedThrough }) => feedThrough)).toEqual([[1], [], undefined]);
  });

  it("[FD53] leaves out what cannot be read as it is named", () => {
    const variables =
      variable('alias="alias"', "<Real/>") +
      variable('alias="negatedAlias"', "<Real/>").replace('"v"', '"minus"') +
      variable("", "<Real/>").replace('"7"', '"4294967295"');
    const { value, diagnostics } = parseModelDescription(fmi1({ variables }));
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ["negated-alias", "warning"],
    ]);
    expect(value!.variables.map(({ name }) => name)).toEqual(["v"]);
  });

  it("[FD53] reads enumerations, units, the experiment and the capabilities", () => {
    const description = read({
      before: `<UnitDefinitions><BaseUnit unit="K"><DisplayUnitDefinition displayUnit="degC" gain="1" offset="-273.15"/></BaseUnit></UnitDefinitions>
<TypeDefinitions><Type name="E"><EnumerationType><Item name="off"/><Item name="on"/></EnumerationType></Type></TypeDefinitions>
<DefaultExperiment startTime="1" stopTime="2" tolerance="1e-4"/>`,
      variables: variable('causality="output"', '<Enumeration declaredType="E"/>'),
      interfaces:
        '<Implementation><CoSimulation_Tool><Capabilities canInterpolateInputs="true" maxOutputDerivativeOrder="2"/><Model entryPoint="x" manualStart="false" type="y"/></CoSimulation_Tool></Implementation>',
    });
    expect(description.experiment).toMatchObject({ start: 1, stop: 2, tolerance: 1e-4 });
    expect(description.coSimulation).toMatchObject({
      modelIdentifier: "M",
      needsExecutionTool: true,
      canInterpolateInputs: true,
      maxOutputDerivativeOrder: 2,
    });
    expect(description.modelExchange).toBeUndefined();
    const [port] = toUnitDescription(description).ports;
    expect(port?.items).toEqual(
      new Map([
        [1, "off"],
        [2, "on"],
      ]),
    );
    expect(description.units).toMatchObject([
      { unit: { name: "K" }, displayUnits: [{ name: "degC", factor: 1, offset: -273.15 }] },
    ]);
  });

  it("[FD53] without an implementation it is one for model exchange", () => {
    const { coSimulation, modelExchange } = read({ interfaces: "" });
    expect(coSimulation).toBeUndefined();
    expect(modelExchange).toMatchObject({ modelIdentifier: "M" });
  });

  it("[FD53] a sound description gives no finding", () => {
    expect(validateDescription(read({}))).toEqual([]);
  });
});
