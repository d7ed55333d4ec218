/**
 * For people who write units or backends of their own: the contract suite and the helpers it drives
 * units with. Needs vitest, which the package itself does not depend on.
 */

export type { RuleSkip } from "./unit/testing/contract.ts";
export { unitContract } from "./unit/testing/contract.ts";
export type { ContractSubject, TimedFact } from "./unit/testing/contract-subject.ts";
export type { Values } from "./unit/testing/drive.ts";
export {
  advanceTo,
  getNumber,
  getValues,
  indexOf,
  portOf,
  settleEvents,
  setValues,
  startUnit,
} from "./unit/testing/drive.ts";
