/**
 * Small valid descriptions for tests, to be bent where a test needs it.
 */
import { expect } from "vitest";
import type { FmuDescription } from "../description.ts";
import { parseModelDescription } from "../parse-description.ts";

export interface Parts {
  /** Further attributes of the root element. */
  readonly root?: string;
  /** Replaces the default CoSimulation element; "" for none. */
  readonly interfaces?: string;
  /** Elements between the interfaces and the variables. */
  readonly before?: string;
  readonly variables?: string;
  readonly structure?: string;
  /** Elements after the structure. */
  readonly after?: string;
}

const FMI2_OUTPUT =
  '<ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>';
const FMI3_OUTPUT =
  '<Float64 name="y" valueReference="1" causality="output"/><Float64 name="time" valueReference="0" causality="independent"/>';

const FMI1_OUTPUT =
  '<ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>';

export function fmi1(parts: Parts = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="1.0" modelName="M" modelIdentifier="M" guid="{g}" numberOfContinuousStates="0" numberOfEventIndicators="0" ${parts.root ?? ""}>
${parts.before ?? ""}
<ModelVariables>${parts.variables ?? FMI1_OUTPUT}</ModelVariables>
${parts.interfaces ?? '<Implementation><CoSimulation_StandAlone><Capabilities canHandleVariableCommunicationStepSize="true"/></CoSimulation_StandAlone></Implementation>'}
${parts.after ?? ""}
</fmiModelDescription>
`;
}

export function fmi2(parts: Parts = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="M" guid="{g}" ${parts.root ?? ""}>
${parts.interfaces ?? '<CoSimulation modelIdentifier="M"/>'}
${parts.before ?? ""}
<ModelVariables>${parts.variables ?? FMI2_OUTPUT}</ModelVariables>
<ModelStructure>${parts.structure ?? '<Outputs><Unknown index="1"/></Outputs>'}</ModelStructure>
${parts.after ?? ""}
</fmiModelDescription>
`;
}

export function fmi3(parts: Parts = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="M" instantiationToken="{t}" ${parts.root ?? ""}>
${parts.interfaces ?? '<CoSimulation modelIdentifier="M"/>'}
${parts.before ?? ""}
<ModelVariables>${parts.variables ?? FMI3_OUTPUT}</ModelVariables>
<ModelStructure>${parts.structure ?? '<Output valueReference="1"/>'}</ModelStructure>
${parts.after ?? ""}
</fmiModelDescription>
`;
}

/** What a variable 'v' with value reference 7 has where its element says nothing else. */
export const VARIABLE_DEFAULTS = {
  name: "v",
  valueReference: 7,
  causality: "local",
  dimensions: [],
  reinit: false,
  canHandleMultipleSetPerTimeInstant: true,
  intermediateUpdate: false,
  aliases: [],
  annotations: [],
  line: 5,
};

/** The description of a text without mistakes. */
export function readDescription(text: string): FmuDescription {
  const { value, diagnostics } = parseModelDescription(text);
  expect(diagnostics).toEqual([]);
  return value!;
}
