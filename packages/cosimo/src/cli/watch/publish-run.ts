/**
 * `cosimo run --publish`: where the run is seen while it goes on, and under which name. Loaded by
 * runs that are published only.
 */
import { basename, dirname, resolve } from "node:path";
import { DiagnosticsError } from "../../base/diagnostic.ts";
import { LivePublisher } from "../../host/network/live-publisher.ts";
import { networkDiagnostic } from "../../host/network/remote-units.ts";
import { isToken, type NetworkSettings } from "../../platform/nats/network-settings.ts";
import { STDIO, UsageError } from "../command.ts";
import { VERSION } from "../version.ts";

/** @param name undefined or empty: that of the model. */
export async function publishRun(
  settings: NetworkSettings,
  model: string,
  name: string | undefined,
  say: (line: string) => void,
): Promise<LivePublisher> {
  const run = name || liveName(model);
  if (!isToken(run))
    throw new UsageError(
      `'${run}' cannot be the name of a run`,
      "use letters, digits, '-' and '_': --publish=lift; the server is named with --server",
    );
  try {
    const live = await LivePublisher.open(settings, { run, version: VERSION, say });
    say(`'cosimo watch ${run}' shows this run (${live.address.id})`);
    return live;
  } catch (error) {
    const found = networkDiagnostic(error, { file: model });
    throw found === undefined ? error : new DiagnosticsError([found]);
  }
}

/** `plant/scenario.yaml` and `plant.fmu` are seen as `plant`. */
export function liveName(model: string): string {
  if (model === STDIO) return "run";
  const name = basename(model).replace(/(\.machine)?\.\w+$/, "");
  const shown = name === "scenario" ? basename(dirname(resolve(model))) : name;
  return shown.replace(/[^\w-]/g, "-").slice(0, 64) || "run";
}
