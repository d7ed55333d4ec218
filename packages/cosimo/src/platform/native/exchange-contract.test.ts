/**
 * Model Exchange FMUs keep the unit contract, in all versions and with every method.
 */
import type { IntegratorOptions } from "../../model/integrator.ts";
import { unitContract } from "../../unit/testing/contract.ts";
import type { ContractSubject } from "../../unit/testing/contract-subject.ts";
import {
  EXCHANGED_BALL,
  EXCHANGED_DAHLQUIST,
  EXCHANGED_FALL,
  EXCHANGED_STAIR,
  NO_EVENTS,
} from "../../unit/testing/internal/exchange-subjects.ts";
import type { Unit } from "../../unit/unit.ts";
import { openExchangeUnit } from "./open-exchange-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

function opener(name: string, integrator: IntegratorOptions): () => Promise<Unit> {
  const fmu = fixture(name);
  return async () => openExchangeUnit(await fmu, {}, integrator);
}

for (const version of VERSIONS)
  for (const method of ["dormand-prince", "radau"] as const) {
    const contract = (
      model: string,
      facts: Omit<ContractSubject, "open">,
      skip: readonly { readonly rule: string; readonly reason: string }[] = [],
    ): void =>
      unitContract(
        `${version} ${model}, ${method}`,
        { ...facts, open: opener(`${version}/${model}`, { method, tolerance: 1e-9 }) },
        skip,
      );
    contract("Dahlquist", EXCHANGED_DAHLQUIST, NO_EVENTS);
    contract("BouncingBall", EXCHANGED_BALL);
    if (method === "radau") continue;
    contract("Stair", EXCHANGED_STAIR, [
      { rule: "UN22", reason: "no real variable crosses a level" },
      { rule: "UN50", reason: "it has no real outputs" },
      { rule: "UN52", reason: "it has no real outputs" },
    ]);
  }

const NO_STATE_NAMES = "FMI 1.0 does not say which variables are states";

{
  const { directional: _, settable: __, event: ___, ...ball } = EXCHANGED_BALL;
  const event = { port: "h", time: EXCHANGED_FALL, timeTolerance: 1e-9 };
  unitContract(
    "fmi1 ExchangeBall",
    { ...ball, event, open: opener("fmi1/ExchangeBall", { tolerance: 1e-9 }) },
    [{ rule: "UN50", reason: NO_STATE_NAMES }],
  );
}
