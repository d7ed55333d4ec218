/**
 * The unit contract on a node, through a real server: FMUs, a module, a state machine. One node and
 * one session for all of them, kept open by a unit that nobody asks anything.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { RemoteSource } from "../../model/scenario.ts";
import { BUILD } from "../../platform/native/testing/fixtures.ts";
import { type NetworkSettings, networkSettings } from "../../platform/nats/network-settings.ts";
import {
  HAS_SERVER,
  NEEDS_SERVER,
  startServer,
  type TestServer,
} from "../../platform/nats/testing/server.ts";
import type { UnitUse } from "../../run/open-units.ts";
import { unitContract } from "../../unit/testing/contract.ts";
import type { ContractSubject } from "../../unit/testing/contract-subject.ts";
import { DECAY } from "../../unit/testing/internal/decay.ts";
import {
  BALL,
  ECHOES_OF_BOTH,
  ECHOES_OF_FMI3,
  FEEDTHROUGH,
  MASS,
} from "../../unit/testing/internal/native-subjects.ts";
import { samplerSubject } from "../../unit/testing/internal/sampler.ts";
import type { Unit } from "../../unit/unit.ts";
import { RemoteUnits } from "./remote-units.ts";
import { type NodeProcess, startNode } from "./testing/node-process.ts";

const dist = (path: string): string =>
  fileURLToPath(new URL(`../../../dist/${path}`, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "cosimo-network-"));
const module = join(folder, "decay.mjs");
writeFileSync(
  module,
  `import { odeUnit, RK4 } from ${JSON.stringify(pathToFileURL(dist("unit.js")))};
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
const machine = join(folder, "sampler.machine.yaml");
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

let server: TestServer | undefined;
let node: NodeProcess | undefined;
let units: RemoteUnits | undefined;
let keeper: Unit | undefined;

async function open(offer: string): Promise<Unit> {
  const source: RemoteSource = { kind: "remote", places: [{ node: "lab", offer }] };
  const place = { file: "scenario.yaml" };
  const use: UnitUse = {
    name: "far",
    structural: new Map(),
    takesSlopes: true,
    hasEvents: true,
    mayReturnEarly: true,
    start: 0,
    place,
  };
  if (units === undefined) throw new Error("there is no server");
  const description = units.describe({ name: "far", place }, source, use.structural);
  return units.open(source, description, use, { native: () => ({}) });
}

beforeAll(async () => {
  if (!HAS_SERVER) return;
  server = await startServer();
  const offers = [
    join(BUILD, "fmi2/MassSpringDamperLeft.fmu"),
    join(BUILD, "fmi3/Feedthrough.fmu"),
    join(BUILD, "fmi3/BouncingBall.fmu"),
    module,
    machine,
  ].flatMap((path) => ["--offer", path]);
  node = await startNode(["--name", "lab", "--server", server.url, "--trust", ...offers]);
  const settings = networkSettings({ COSIMO_SERVER: server.url }) as NetworkSettings;
  units = new RemoteUnits(settings, { program: dist("platform/nats/courier-thread.js") });
  keeper = await open("decay");
}, 120_000);

afterAll(async () => {
  keeper?.dispose();
  units?.end();
  await node?.kill("SIGTERM");
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

function contract(name: string, facts: Omit<ContractSubject, "open">, offer: string): void {
  if (HAS_SERVER) unitContract(`a node: ${name}`, { ...facts, open: () => open(offer) });
}

describe.skipIf(HAS_SERVER)(`the unit contract on a node${NEEDS_SERVER}`, () => {
  it("needs a server", () => undefined);
});

contract("fmi2 MassSpringDamperLeft", MASS, "MassSpringDamperLeft");
contract(
  "fmi3 Feedthrough",
  {
    ...FEEDTHROUGH,
    values: { UInt64_input: 1n },
    echoes: [...(ECHOES_OF_BOTH ?? []), ...(ECHOES_OF_FMI3 ?? [])],
  },
  "Feedthrough",
);
contract("fmi3 BouncingBall", BALL, "BouncingBall");
contract("a module", DECAY, "decay");
if (HAS_SERVER)
  unitContract(
    "a node: a state machine",
    samplerSubject(() => open("sampler")),
  );
