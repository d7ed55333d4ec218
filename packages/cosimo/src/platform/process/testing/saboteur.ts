/**
 * FMUs that do what they are told (fixtures/fmus/Saboteur): what, in which call, the how-manieth
 * one.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";

const BUILD = fileURLToPath(new URL("../../../../../../fixtures/build", import.meta.url));

/** Unpacked into `folder`; without an order it behaves. @returns the folder. */
export function saboteurIn(folder: string, version: 2 | 3, order?: string): string {
  const archive = unzipSync(readFileSync(join(BUILD, `fmi${version}`, "Saboteur.fmu")));
  const ordered = order === undefined ? {} : { "resources/saboteur.txt": text(`${order}\n`) };
  for (const [name, bytes] of Object.entries({ ...archive, ...ordered })) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    if (!name.endsWith("/")) writeFileSync(file, bytes);
  }
  return folder;
}

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
