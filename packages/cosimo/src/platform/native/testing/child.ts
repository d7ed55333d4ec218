/**
 * Code that may crash, hang or print runs in a process of its own, against the built package.
 */
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { NativeFmu } from "../native-options.ts";
import { REPOSITORY } from "./fixtures.ts";

const BUILT = join(REPOSITORY, "packages", "cosimo", "dist");

const PRELUDE = `
const built = ${JSON.stringify(`${pathToFileURL(BUILT).href}/`)};
const { openNativeUnit } = await import(built + "platform/native/open-native-unit.js");
const { mapSharedFile } = await import(built + "platform/native/shared-memory.js");
const { redirectStdoutToStderr } = await import(built + "platform/native/stdout.js");
const { checkBinary } = await import(built + "platform/native/check-binary.js");
const { openFmuFile } = await import(built + "platform/node/fmu-file.js");
const { makeBanks } = await import(built + "model/value-type.js");
const fmu = { folder: process.argv[1], description: openFmuFile(process.argv[1]).value.description };
function open(options, values = {}) {
  const unit = openNativeUnit(fmu, options);
  for (const [name, value] of Object.entries(values)) {
    const { index } = unit.description.ports.find((port) => port.name === name);
    const banks = makeBanks({ f64: 1 });
    banks.f64[0] = value;
    unit.write(unit.bind([{ port: index, slot: 0 }]), banks);
  }
  return unit;
}
function start(unit) {
  unit.enterInitialization({ start: 0 });
  unit.exitInitialization();
}
`;

/** Runs `script` in a child; it has `fmu`, `open(options, values)` and `start(unit)`. */
export function runChild(fmu: NativeFmu, script: string): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, childArguments(fmu, script), { encoding: "utf8" });
}

/**
 * Starts `script` in a child and kills it once `isThere` says so. Answers with the signal that
 * ended it.
 */
export function killChildWhen(
  fmu: NativeFmu,
  script: string,
  isThere: () => boolean,
): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, childArguments(fmu, script), { stdio: "ignore" });
  const watch = setInterval(() => isThere() && child.kill("SIGKILL"), 20);
  return new Promise((resolve) => {
    child.once("exit", (_code, signal) => {
      clearInterval(watch);
      resolve(signal);
    });
  });
}

function childArguments(fmu: NativeFmu, script: string): string[] {
  if (!existsSync(join(BUILT, "platform", "native", "open-native-unit.js")))
    throw new Error("children run the built package: run 'npx tsc -b' in packages/cosimo first");
  return ["--expose-gc", "--input-type=module", "-e", PRELUDE + script, fmu.folder];
}
