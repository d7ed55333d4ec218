/**
 * The text of a scenario at one point of a study: steps, masters, approximations, adaptations and
 * faults are varied by editing it, so that a person can read, and run, what a row of the table
 * stands for.
 */
import type { Factor, StudyPoint, WrittenLevel } from "../../model/study.ts";
import { type EditedScenario, editScenario } from "../variants/edit-scenario.ts";
import type { Decision } from "../variants/space.ts";
import { faultText, isInText } from "./resolve-factors.ts";

/** What distinguishes the texts of two points. */
export function variantKey(factors: readonly Factor[], point: StudyPoint): string {
  return JSON.stringify(factors.map((factor, f) => (isInText(factor) ? point[f] : 0)));
}

/** @param text of the scenario as its author wrote it. */
export function variantText(
  text: string,
  factors: readonly Factor[],
  point: StudyPoint,
): EditedScenario {
  const decisions = factors.flatMap((factor, f) => decisionOf(factor, point[f]) ?? []);
  if (decisions.length === 0) return { text, problems: [] };
  const decided = decisions.map((decision) => ({ decision, why: "" }));
  return editScenario(text, decided, { withReasons: false });
}

function decisionOf({ target, levels }: Factor, level: number): Decision | undefined {
  const written: WrittenLevel = levels.kind === "list" ? levels.written[level] : level;
  switch (target.kind) {
    case "port":
      return undefined;
    case "step": {
      const seconds = Number(written);
      const { unit } = target;
      return unit === undefined ? { kind: "step", seconds } : { kind: "unit-step", unit, seconds };
    }
    case "master":
      return { kind: "written-master", written };
    case "approximation": {
      const { from, to } = target;
      return { kind: "approximation", from, to, approximation: String(written) };
    }
    case "adaptation": {
      const { unit } = target;
      return { kind: "adaptation", unit, ...(written !== "none" && { written }) };
    }
    case "fault": {
      const text = faultText(target.pattern, written);
      return text === undefined ? undefined : { kind: "fault", text };
    }
  }
}
