/**
 * Runs what is open: a scenario as it stands in the editor, saved or not, or an FMU alone.
 */
import { goingOn, start } from "../run/runs.ts";
import { bottomTab, opened, say } from "../session.ts";

export async function runOpened(): Promise<void> {
  const now = opened.get();
  if (now.kind !== "scenario" && now.kind !== "fmu") {
    say("open a scenario or an FMU to run it", true);
    return;
  }
  if (goingOn(now.path)) {
    say("it is running already", true);
    return;
  }
  const text =
    now.kind === "scenario" && !now.document.isReadOnly && now.document.state.get().isDirty
      ? now.document.text
      : undefined;
  bottomTab.set("plots");
  await start(now.path, text);
}
