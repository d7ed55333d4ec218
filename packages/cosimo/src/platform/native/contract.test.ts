/**
 * Native FMUs keep the unit contract, in both versions and whatever they can do.
 */

import { unitContract } from "../../unit/testing/contract.ts";
import type { ContractSubject } from "../../unit/testing/contract-subject.ts";
import {
  BALL,
  DAHLQUIST,
  ECHOES_OF_BOTH,
  ECHOES_OF_FMI3,
  FEEDTHROUGH,
  MASS,
  STAIR,
} from "../../unit/testing/internal/native-subjects.ts";
import type { Unit } from "../../unit/unit.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

/** Instances of one model share an unpacked folder, as they do in a run. */
function opener(name: string): () => Promise<Unit> {
  const fmu = fixture(name);
  return async () => openNativeUnit(await fmu);
}

for (const version of VERSIONS) {
  const contract = (model: string, facts: Omit<ContractSubject, "open">): void =>
    unitContract(`${version} ${model}`, { ...facts, open: opener(`${version}/${model}`) });
  contract("Dahlquist", DAHLQUIST);
  contract("MassSpringDamperLeft", MASS);
  contract("MassSpringDamperLeftPlain", MASS);
  contract("Feedthrough", {
    ...FEEDTHROUGH,
    // Its start value is above 2^63: banks hold the bits, so it is not the same bigint that the
    // description has.
    ...(version === "fmi3" && { values: { UInt64_input: 1n } }),
    echoes: [...ECHOES_OF_BOTH, ...(version === "fmi3" ? ECHOES_OF_FMI3 : [])],
  });
  contract("BouncingBall", BALL);
  contract("Stair", STAIR);
}

// Without saved states, derivatives of the model or event mode: what FMI 1.0 has is held to the
// same rules.
unitContract("fmi1 MassSpringDamperLeft", { ...MASS, open: opener("fmi1/MassSpringDamperLeft") });
unitContract("fmi1 Feedthrough", {
  ...FEEDTHROUGH,
  echoes: ECHOES_OF_BOTH,
  open: opener("fmi1/Feedthrough"),
});
