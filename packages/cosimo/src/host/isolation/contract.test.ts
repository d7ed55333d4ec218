/**
 * The unit contract in another process: FMUs of every version, Model Exchange, units in TypeScript,
 * adaptations, state machines. Instances of one model share a process, which a unit that nobody
 * asks anything keeps open.
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll } from "vitest";
import type { UnitSource } from "../../model/scenario.ts";
import { BUILD } from "../../platform/native/testing/fixtures.ts";
import { type RuleSkip, unitContract } from "../../unit/testing/contract.ts";
import type { ContractSubject } from "../../unit/testing/contract-subject.ts";
import { DECAY } from "../../unit/testing/internal/decay.ts";
import {
  EXCHANGED_BALL,
  EXCHANGED_DAHLQUIST,
  NO_EVENTS,
} from "../../unit/testing/internal/exchange-subjects.ts";
import {
  BALL,
  ECHOES_OF_BOTH,
  ECHOES_OF_FMI3,
  FEEDTHROUGH,
  MASS,
} from "../../unit/testing/internal/native-subjects.ts";
import { samplerSubject } from "../../unit/testing/internal/sampler.ts";
import type { Unit } from "../../unit/unit.ts";
import { isolated, UNIT_WORKER } from "./testing/isolated.ts";

const bench = isolated();
const BUILT_UNIT = join(dirname(UNIT_WORKER), "..", "..", "unit.js");

/** Once per name: a group is a process. */
const keepers: Unit[] = [];
const groups: (() => Promise<Unit>)[] = [];
beforeAll(async () => {
  for (const open of groups) keepers.push(await open());
}, 120_000);
afterAll(() => {
  for (const unit of keepers) unit.dispose();
});

function opener(
  group: string,
  source: UnitSource,
  use: { readonly takesSlopes?: boolean } = {},
): () => Promise<Unit> {
  const open = (): Promise<Unit> => bench.open(source, { kind: "process", group }, use);
  groups.push(open);
  return open;
}

function contract(
  name: string,
  facts: Omit<ContractSubject, "open">,
  source: UnitSource,
  skip: readonly RuleSkip[] = [],
): void {
  unitContract(`a process of its own: ${name}`, { ...facts, open: opener(name, source) }, skip);
}

const fmu = (name: string): UnitSource => ({ kind: "fmu", path: join(BUILD, `${name}.fmu`) });
const exchanged = (name: string): UnitSource => ({
  kind: "fmu",
  path: join(BUILD, `${name}.fmu`),
  interface: "model-exchange",
  integrator: { method: "dormand-prince", tolerance: 1e-9 },
});

contract("fmi2 MassSpringDamperLeft", MASS, fmu("fmi2/MassSpringDamperLeft"));
contract(
  "fmi3 Feedthrough",
  {
    ...FEEDTHROUGH,
    values: { UInt64_input: 1n },
    echoes: [...(ECHOES_OF_BOTH ?? []), ...(ECHOES_OF_FMI3 ?? [])],
  },
  fmu("fmi3/Feedthrough"),
);
contract("fmi3 BouncingBall", BALL, fmu("fmi3/BouncingBall"));
contract("fmi1 MassSpringDamperLeft", MASS, fmu("fmi1/MassSpringDamperLeft"));
contract(
  "fmi2 Dahlquist, Model Exchange",
  EXCHANGED_DAHLQUIST,
  exchanged("fmi2/Dahlquist"),
  NO_EVENTS,
);
contract("fmi3 BouncingBall, Model Exchange", EXCHANGED_BALL, exchanged("fmi3/BouncingBall"));

const module = join(bench.folder, "decay.mjs");
writeFileSync(
  module,
  `import { odeUnit, RK4 } from ${JSON.stringify(pathToFileURL(BUILT_UNIT))};
export default (name) => odeUnit({
  name: "decay",
  parameters: { k: { start: 1 }, fixed: { variability: "fixed" } },
  inputs: { u: {} },
  states: { x: { start: 1 } },
  outputs: { y: {} },
  derivatives: (_t, x, u, p, dx) => { dx[0] = -p[0] * x[0] + u[0]; },
  evaluate: (_t, x, u, _p, y) => { y[0] = x[0] + u[0]; },
  solver: { method: RK4, step: 0.05 },
}, name);
`,
);
contract("a module", DECAY, { kind: "module", path: module });
contract(
  "an adaptation around a module",
  {
    step: 0.1,
    behaviour: DECAY.behaviour,
    settable: { port: "k", value: 3 },
    fixed: { port: "fixed", value: 3 },
    inputDerivative: DECAY.inputDerivative!,
  },
  {
    kind: "adapted",
    adaptation: "multi-rate",
    arguments: [{ name: "rate", value: 2, place: { file: module } }],
    inner: { kind: "module", path: module },
    place: { file: module },
  } as UnitSource,
);

const machine = join(bench.folder, "sampler.machine.yaml");
writeFileSync(
  machine,
  `parameters: { every: 0.4 s }
inputs: { u: real }
outputs: { y: real, n: integer }
states:
  wait:
    - { after: every, do: [y := u, n := n + 1], to: wait }
`,
);
unitContract(
  "a process of its own: a state machine",
  samplerSubject(opener("machine", { kind: "machine", path: machine })),
);
