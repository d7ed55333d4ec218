/** What units elsewhere say reaches those who listen to that unit, and to no other. */
import { describe, expect, it } from "vitest";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import type { Note } from "../../remote/protocol.ts";
import { passNotes } from "./pass-notes.ts";

function heard(notes: readonly Note[], unit = "motor"): string[] {
  const lines: string[] = [];
  passNotes(
    unit,
    notes,
    (name): NativeUnitOptions => ({
      onLog: ({ status, category, message }) =>
        lines.push(`${name} ${status} ${category} ${message}`),
      onDiagnostic: ({ code }) => lines.push(`${name} ${code}`),
      callLog: (line) => lines.push(`${name} ${line}`),
    }),
  );
  return lines;
}

const log = (unit: string, status: string): Note => ({
  kind: "log",
  unit,
  status,
  category: "c",
  message: "m",
});

describe("notes of a peer", () => {
  it("[IS10] are those of the unit and of units inside it", () => {
    expect(heard([log("motor", "warning"), log("motor.rotor", "error")])).toEqual([
      "motor warning c m",
      "motor.rotor error c m",
    ]);
  });

  it("count as those of its own unit where it names another", () => {
    expect(heard([log("brake", "ok"), log("motors", "ok")])).toEqual([
      "motor ok c m",
      "motor ok c m",
    ]);
  });

  it("have a status that FMI knows", () => {
    const statuses = ["ok", "warning", "discard", "error", "fatal", "pending", "mad", ""];
    expect(heard(statuses.map((status) => log("motor", status)))).toEqual(
      ["ok", "warning", "discard", "error", "fatal", "pending", "ok", "ok"].map(
        (status) => `motor ${status} c m`,
      ),
    );
  });

  it("are findings and calls too, and need no listener", () => {
    const place = { file: "elsewhere" };
    const diagnostic = { code: "x-y", severity: "warning", message: "", fix: "", place } as const;
    const notes: Note[] = [
      { kind: "diagnostic", unit: "motor", diagnostic },
      { kind: "call", unit: "motor", line: "fmi2DoStep" },
    ];
    expect(heard(notes)).toEqual(["motor x-y", "motor fmi2DoStep"]);
    expect(() => passNotes("motor", [...notes, log("motor", "ok")], () => ({}))).not.toThrow();
  });
});
