/**
 * Guards that masters name: what takes the place of the path, and what is said where nothing can.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../base/diagnostic.ts";
import type { ScenarioDraft } from "../model/scenario.ts";
import { testDraft } from "../model/testing/plain-data.ts";
import { withGuard } from "./load-guard.ts";

const GUARD = readFileSync(
  new URL("../../../../examples/double-mass/guard.json", import.meta.url),
  "utf8",
);

const FILE = "/project/deep/scenario.yaml";

function draftWith(options: Readonly<Record<string, unknown>>): ScenarioDraft {
  return testDraft([], {
    file: FILE,
    master: { name: "adaptive", options, place: { file: FILE, line: 7 } },
  });
}

function loaded(options: Readonly<Record<string, unknown>>, text: (path: string) => string) {
  const found: Diagnostic[] = [];
  const read: string[] = [];
  const draft = draftWith(options);
  const made = withGuard(
    draft,
    {
      text: (path) => {
        read.push(path);
        return text(path);
      },
    },
    (...diagnostics) => found.push(...diagnostics),
  );
  return { draft, made, found, read, guard: made.master.options["guard"] };
}

describe("a master", () => {
  it.each([[{}], [{ guard: "off" }], [{ guard: false }], [{ guard: { policies: [] } }]])(
    "[GU8] with %j keeps it, and nothing is read",
    (options) => {
      const { draft, made, read, found } = loaded(options, () => GUARD);
      expect(made).toBe(draft);
      expect([read, found]).toEqual([[], []]);
    },
  );

  it("[GU9] that names a file gets its automaton, beside its other options", () => {
    const { guard, made, found, read } = loaded({ guard: "../g.json", step: 3 }, () => GUARD);
    expect(read).toEqual(["/project/g.json"]);
    expect(found).toEqual([]);
    expect(made.master.options["step"]).toBe(3);
    const { guard: written, matrices } = JSON.parse(GUARD) as {
      guard: { start: number };
      matrices: object;
    };
    expect(guard).toMatchObject({
      policies: Object.keys(matrices),
      // Written from 1, used from 0.
      start: written.start - 1,
    });
    expect(Object.keys(guard as object).sort()).toEqual(["automaton", "policies", "start"]);
  });
});

describe("a guard that cannot be used", () => {
  const system = (code: string): never => {
    throw Object.assign(new Error(`${code}: of the system`), { code });
  };

  it.each<[string, () => string, string]>([
    ["is not there", () => system("ENOENT"), "there is no such file"],
    ["cannot be read", () => system("EACCES"), "EACCES: of the system"],
  ])("[GU9] because it %s is off, with the reason at the master", (_, text, reason) => {
    const { guard, found } = loaded({ guard: "g.json" }, text);
    expect(guard).toBe("off");
    expect(found.map(({ code, place }) => [code, place.line])).toEqual([["guard-unusable", 7]]);
    expect(found[0].message).toContain(reason);
    expect(found[0].message).toContain("g.json");
  });

  it("[GU9] because its text is not a guard has the findings of the text, and no more", () => {
    for (const text of ["{", "{}", GUARD.replace('"guard"', '"other"')]) {
      const { guard, found } = loaded({ guard: "g.json" }, () => text);
      expect(guard).toBe("off");
      expect(found.length).toBeGreaterThan(0);
      for (const { code, place } of found) {
        expect(code).not.toBe("guard-unusable");
        expect(place.file).toBe("g.json");
      }
    }
  });

  it("[GU10] because its proof does not hold names the node, from 1", () => {
    const parsed = JSON.parse(GUARD) as { guard: { proof: { forms: number[][] } } };
    const { forms } = parsed.guard.proof;
    for (const node of forms.keys()) {
      const damaged = structuredClone(parsed);
      // A form that is negative somewhere proves nothing.
      damaged.guard.proof.forms[node] = forms[node].map((value) => -value);
      const { guard, found } = loaded({ guard: "g.json" }, () => JSON.stringify(damaged));
      expect(guard).toBe("off");
      expect(found.map(({ code }) => code)).toEqual(["guard-unusable"]);
      expect(found[0].message).toMatch(/its proof does not hold at node \d+: it was changed/);
      const named = Number(/node (\d+)/.exec(found[0].message)?.[1]);
      expect(named).toBeGreaterThanOrEqual(1);
      expect(named).toBeLessThanOrEqual(forms.length);
    }
  });
});
