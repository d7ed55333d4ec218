import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { diskFiles } from "../sources/files.ts";
import { trustOf } from "../trust.ts";
import { describeText } from "./describe-texts.ts";

const folder = mkdtempSync(join(tmpdir(), "cosimo-hints-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const described = (path: string) => describeText(path, folder, diskFiles(trustOf(true)));
const HINT = (signal: string): string =>
  `Hint h { scope Globally pattern Existence: ${signal} > 3 eventually-holds }`;

describe("findings in hints", () => {
  it("[LS90] are those of the file in its scenario, whose units are described", async () => {
    write(
      "light.machine.yaml",
      "machine: light\noutputs: { level: real }\ninitial: off\nstates: { off: [] }\n",
    );
    write(
      "scenario.yaml",
      "units: { light: light.machine.yaml }\nrequirements: [always light.wrong < 3]\n",
    );
    const { diagnostics, units } = await described(write("a.hint", HINT("light.lvel")));
    expect(diagnostics).toMatchObject([
      { code: "unknown-port", place: { file: join(folder, "a.hint"), line: 1 } },
    ]);
    expect(diagnostics[0]?.fix).toBe("did you mean 'level'?");
    expect(units.get("light")?.ports.map(({ name }) => name)).toContain("level");
    expect((await described(write("a.hint", HINT("light.level")))).diagnostics).toEqual([]);
  });

  it("[LS90] without a scenario, what the text alone shows", async () => {
    const path = write("b.hint", `for "nowhere.yaml"\n${HINT("light.level").replace("> 3", "")}`);
    const { diagnostics, units } = await described(path);
    expect([diagnostics, units.size]).toEqual([[], 0]);
    const wrong = await described(write("b.hint", `for "nowhere.yaml"\n${HINT("Small")}`));
    expect(wrong.diagnostics).toMatchObject([{ code: "hint-unknown-statement" }]);
  });
});
