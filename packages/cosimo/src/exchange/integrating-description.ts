/**
 * What a model of differential equations can do once it has an integrator. Apart from
 * integrating-unit.ts, so that planning needs neither.
 */
import type { OdeStructure } from "../model/ode-structure.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { INPUT_ORDER, isFollowed } from "./input-polynomials.ts";

/** @param model as the model describes itself: `rollback` where it saves all of its state. */
export function integratingDescription(
  model: UnitDescription,
  { isContinuous }: Pick<OdeStructure, "isContinuous">,
): UnitDescription {
  const { capabilities } = model;
  const follows = model.ports.some(isFollowed);
  return {
    ...model,
    ports: model.ports.map((port): Port => (isFollowed(port) ? { ...port, reactive: true } : port)),
    capabilities: {
      ...capabilities,
      rollback: capabilities.rollback || isContinuous,
      serialize: capabilities.rollback ? capabilities.serialize : isContinuous,
      directionalDerivatives: true,
      outputDerivativeOrder: 1,
      inputDerivativeOrder: follows ? INPUT_ORDER : 0,
      variableStep: true,
      eventMode: true,
      earlyReturn: true,
      intermediateUpdate: false,
      predicates: ["event", "threshold"],
    },
  };
}

/** The same of a unit that handles its events inside of its steps. */
export function withoutEvents(description: UnitDescription): UnitDescription {
  const { capabilities } = description;
  return {
    ...description,
    capabilities: {
      ...capabilities,
      eventMode: false,
      earlyReturn: false,
      predicates: capabilities.predicates.filter((kind) => kind !== "event"),
    },
  };
}
