/**
 * `cosimo validate --run`, inside the worker: unpack, load, compare the binary with its
 * description.
 */
import { join } from "node:path";
import { type Diagnostic, unwrap } from "../../base/diagnostic.ts";
import { placeInFmu } from "../../host/place-in-fmu.ts";
import { checkBinary } from "../../platform/native/check-binary.ts";
import { dieWithParent } from "../../platform/native/die-with-parent.ts";
import { openFmuFile } from "../../platform/node/fmu-file.ts";
import type { CheckBinaryJob } from "../protocol/protocol.ts";

export async function checkFmuBinary(job: CheckBinaryJob): Promise<readonly Diagnostic[]> {
  // What the description got wrong was reported before; the binary is compared with what could be
  // read of it.
  const fmu = openFmuFile(job.fmu).value;
  if (fmu === undefined) return [];
  dieWithParent();
  const folder = unwrap(await fmu.extract(join(job.folder, "fmu")));
  return (
    checkBinary({ folder, description: fmu.description })
      // Reading the archive has reported this already.
      .filter(({ code }) => code !== "binary-name-differs")
      .map((found) => placeInFmu(found, folder, job.fmu))
  );
}
