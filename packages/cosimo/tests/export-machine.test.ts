/** State machines as FMUs: what they do in Cosimo, they do in every tool. */
import { describe, expect, it } from "vitest";
import { OVER_HEAT } from "../src/lang/machine/testing/over-heat.ts";
import { COMPILING, completed, ExportLab, expectSame } from "./export-lab.ts";

const lab = new ExportLab();
const EXPERIMENT = "experiment: { stop: 60 s, step: 1 s }\nmaster: jacobi\n";

/** Heats by 4 degrees a second, and cools while it is stopped. */
const BOX = `machine: box
inputs: { isStopped: boolean }
outputs: { temperature: { type: integer, start: 40 } }
states:
  run:
    - { after: 1 s, do: "temperature := temperature + (isStopped ? -3 : 4)", to: run }
`;

describe("state machines as FMUs", () => {
  it.each([2, 3] as const)(
    "[SM9] an exported machine gives the machine's trace (FMI %i)",
    async (version) => {
      lab.write("over-heat.machine.yaml", OVER_HEAT);
      lab.write("box.machine.yaml", BOX);
      const scenario = (controller: string): string =>
        lab.write(
          `${controller.endsWith(".fmu") ? "exported" : "plain"}-${version}.yaml`,
          `units: { box: box.machine.yaml, control: ${controller} }
connections: [box.temperature -> control.cpuTemperature, control.isStopped -> box.isStopped]
${EXPERIMENT}record: [box.temperature, control.isStopped, control.switchCPUState, control.state]
`,
        );
      const { path } = await lab.export(lab.write("over-heat.machine.yaml", OVER_HEAT), version);
      const plain = await completed(scenario("over-heat.machine.yaml"));
      expectSame(plain, await completed(scenario(path)), 4);
      // Not a comparison of two machines that rest.
      const switches = plain.columns.find(({ name }) => name === "control.switchCPUState");
      expect(Array.from((switches?.data ?? []) as ArrayLike<number>)).toContain(1);
    },
    COMPILING,
  );

  it(
    "[SM9] a scenario of machines exports as a whole",
    async () => {
      lab.write("over-heat.machine.yaml", OVER_HEAT);
      lab.write("box.machine.yaml", BOX);
      const scenario = lab.write(
        "whole.yaml",
        `units: { box: box.machine.yaml, control: over-heat.machine.yaml }
connections: [box.temperature -> control.cpuTemperature, control.isStopped -> box.isStopped]
${EXPERIMENT}record: [box.temperature, control.isStopped, control.switchCPUState]
`,
      );
      const { path } = await lab.export(scenario, 3);
      expectSame(await completed(scenario), await lab.traceOf(path, 1, 60), 3);
    },
    COMPILING,
  );
});
