/**
 * The fixtures keep to their descriptions; each way not to is reported. Rules: docs/spec/native.md.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { setValues } from "../../unit/testing/drive.ts";
import type { Snapshot, Unit } from "../../unit/unit.ts";
import { checkBehaviour } from "./check-behaviour.ts";
import { checkBinary } from "./check-binary.ts";
import type { NativeFmu } from "./native-options.ts";
import { binaryOf, openNativeUnit } from "./open-native-unit.ts";
import { requiredCalls } from "./required-calls.ts";
import { Behaviour } from "./testing/behaviour.ts";
import { BUILD, unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

/** Those of the gotchas that keep to the standard: some of the others end the process. */
const GOTCHAS: Readonly<Record<string, { readonly wraps?: readonly string[] }>> = JSON.parse(
  readFileSync(join(BUILD, "..", "fmus", "gotchas", "gotchas.json"), "utf8"),
);

const NAMES = ["fmi2", "fmi3", "gotchas/fmi2", "gotchas/fmi3"]
  .flatMap((folder) =>
    readdirSync(join(BUILD, folder)).map((file) => `${folder}/${file.replace(/\.fmu$/, "")}`),
  )
  .filter((name) => !name.endsWith("PrintsToStdout"))
  .filter((name) => GOTCHAS[basename(name)]?.wraps === undefined)
  .filter((name) => !/FlushesOnLoad|ReducesPrecision|LeavesRegisters$/.test(name))
  .filter((name) => !/Rounds(InStep|InHandler|WhenMade)$/.test(name));

describe("a binary that keeps to its description", () => {
  it("is among the fixtures", () => {
    expect(NAMES.length).toBeGreaterThan(40);
  });

  it.each(NAMES)("[NA70] nothing is found in %s", async (name) => {
    const odd = name.endsWith("BinaryName") ? ["binary-name-differs"] : [];
    expect(codes(await fixture(name))).toEqual(odd);
  });
});

function codes(fmu: NativeFmu, prepare?: (unit: Unit) => void): string[] {
  return checkBinary(fmu, prepare && { prepare }).map(({ code }) => code);
}

/** The same FMU with other bytes in its binary. */
function patched(fmu: NativeFmu, from: string, to: string): NativeFmu {
  const { file } = binaryOf(fmu);
  const bytes = readFileSync(file);
  const text = Buffer.from(`\0${from}\0`, "latin1");
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1))
    bytes.write(to, at + 1, "latin1");
  writeFileSync(file, bytes);
  return fmu;
}

describe.each(VERSIONS)("a binary of %s that does not", (version) => {
  const misbehaving = (): Promise<NativeFmu> => fixture(`${version}/Misbehaving`);
  const when = (behaviour: number, at: number) => (unit: Unit) =>
    setValues(unit, { behaviour, at });

  it("[NA71] has other start values", async () => {
    const fmu = await misbehaving();
    const variables = fmu.description.variables.map((variable) =>
      variable.name === "at" ? { ...variable, start: [0.5] } : variable,
    );
    const [found, ...rest] = checkBinary({
      ...fmu,
      description: { ...fmu.description, variables },
    });
    expect(rest).toEqual([]);
    expect(found).toMatchObject({
      code: "binary-start-differs",
      message: "'at' starts with 0.45 in the binary and 0.5 in the description",
    });
  });

  it("[NA71] fails in a call, and its words are handed on", async () => {
    const [found] = checkBinary(await misbehaving(), { prepare: when(Behaviour.error, -1) });
    expect(found).toMatchObject({ code: "binary-call-failed" });
    expect(found!.message).toMatch(
      /InitializationMode returned .*Error; the FMU says: .*failed as asked/,
    );
  });

  it("[NA71] refuses its own step", async () => {
    expect(codes(await misbehaving(), when(Behaviour.discard, 0.05))).toEqual([
      "binary-step-refused",
    ]);
  });

  it("[NA71] does not come back to a saved state", async () => {
    const found = checkBinary(await misbehaving(), {
      prepare: when(Behaviour.lieAboutState, 0),
    });
    expect(found.map(({ code }) => code)).toContain("binary-state-lies");
    expect(found[0].message).toContain(" x had other values");
  });

  it("[NA71] names another version", async () => {
    const said = version === "fmi2" ? "2.0" : "3.0";
    const fmu = patched(await fixture(`${version}/Dahlquist`), said, "1.0");
    expect(codes(fmu)).toEqual(["binary-version-differs"]);
  });
});

describe("a binary that lacks functions", () => {
  it("[NA71] is told which it needs, and which are missing for form's sake", async () => {
    const fmu = await fixture("fmi2/Dahlquist");
    const other = await fixture("fmi3/Dahlquist");
    copyFileSync(binaryOf(other).file, binaryOf(fmu).file);
    const found = checkBinary(fmu);
    expect(found.map(({ code }) => code)).toEqual([
      "binary-symbols-missing",
      "binary-formal-symbols-missing",
    ]);
    expect(found[0].message).toContain("fmi2DoStep");
    expect(found[1].message).toContain("fmi2CancelStep");
  });

  it("[NA71] needs what its capability flags promise", async () => {
    const full = requiredCalls((await fixture("fmi3/Dahlquist")).description);
    const plain = requiredCalls((await fixture("fmi3/MassSpringDamperLeftPlain")).description);
    expect(full.needed).toContain("fmi3GetFMUState");
    expect(plain.formal).toContain("fmi3GetFMUState");
    expect(plain.needed).toContain("fmi3DoStep");
  });

  it("[NA71] of FMI 2 has other types", async () => {
    const fmu = patched(await fixture("fmi2/Dahlquist"), "default", "strange");
    expect(codes(fmu)).toEqual(["binary-version-differs"]);
  });

  it("[NA3] has none for this machine", async () => {
    const fmu = await fixture("fmi2/Dahlquist");
    mkdirSync(join(fmu.folder, "empty"));
    expect(codes({ ...fmu, folder: join(fmu.folder, "empty") })).toEqual([
      "binary-platform-missing",
    ]);
  });
});

describe("a unit that lies", () => {
  /** Dahlquist, with some of its methods replaced. */
  async function liar(lie: (unit: Unit) => Partial<Unit>): Promise<string[]> {
    const unit = openNativeUnit(await fixture("fmi3/Dahlquist"));
    const lies = lie(unit);
    const found: string[] = [];
    const proxy = new Proxy(unit, {
      get: (target, key) => {
        const value = lies[key as keyof Unit] ?? target[key as keyof Unit];
        return typeof value === "function" ? (value as () => unknown).bind(target) : value;
      },
    });
    checkBehaviour(proxy, { step: 0.1, keepStart: () => true }, (code) => found.push(code));
    unit.dispose();
    return found;
  }

  it("[NA71] about serialization is caught", async () => {
    const read = new Set<Snapshot>();
    const found = await liar((unit) => ({
      deserialize: (bytes) => {
        const snapshot = unit.deserialize(bytes);
        read.add(snapshot);
        return snapshot;
      },
      restore: (snapshot) => {
        unit.restore(snapshot);
        if (read.has(snapshot)) setValues(unit, { k: 3 });
      },
    }));
    expect(found).toEqual(["binary-serialization-lies"]);
  });

  it("[NA71] about reset is caught", async () => {
    const found = await liar((unit) => ({
      reset: () => {
        unit.reset();
        setValues(unit, { k: 3 });
      },
    }));
    expect(found).toEqual(["binary-reset-lies"]);
  });

  it("is not an honest one (positive control)", async () => {
    expect(await liar(() => ({}))).toEqual([]);
  });
});
