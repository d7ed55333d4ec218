/**
 * Which modules a job may run: with `--untrusted` none, since they are run before there is a
 * sandbox.
 */
import { TRUST_NOBODY, type Trust, userTrust } from "../../host/trust.ts";
import type { RunJob } from "../protocol/protocol.ts";

export function jobTrust({ trust, isolation }: Pick<RunJob, "trust" | "isolation">): Trust {
  return isolation?.isForced === true ? TRUST_NOBODY : userTrust(trust);
}
