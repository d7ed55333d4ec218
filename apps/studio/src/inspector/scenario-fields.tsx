/**
 * What belongs to the scenario as a whole: its experiment, and its master with what that needs.
 */
import { MASTER_NAMES, MASTERS, type MasterName } from "@cosimo/model/masters.ts";
import type { Described } from "@cosimo/serve/protocol.ts";
import type { ScenarioDocument } from "../document/scenario-document.ts";
import { edit } from "../session.ts";
import { Field } from "./field.tsx";
import { MasterChoices } from "./master-choices.tsx";

/** What each master costs, in a line. */
const COSTS: Readonly<Record<MasterName, string>> = {
  jacobi: "one step of every unit; units can run in parallel",
  "gauss-seidel": "one step of every unit, one after the other",
  iterative: "several steps of every unit until inputs and outputs agree; units must roll back",
  adaptive: "chooses its steps; rejected ones are repeated; units must roll back",
  "event-driven": "exchanges when triggers say so, without common steps",
};

interface Props {
  readonly described: Described | undefined;
  readonly isReadOnly: boolean;
  readonly document: ScenarioDocument;
}

export function ScenarioFields({ described, isReadOnly, document }: Props) {
  const scenario = described?.scenario;
  if (!scenario) return <p className="muted">The scenario cannot be read.</p>;
  const { experiment, master, writtenMaster, name } = scenario;
  const needs = described.explanation?.master.needs ?? [];
  const advice = described.explanation?.recommendation;
  const loops = described.explanation?.loops ?? [];
  const time = (key: "start" | "stop" | "step" | "tolerance", unit: string) => (
    <Field
      label={key}
      value={experiment[key] === undefined ? "" : String(experiment[key])}
      unit={unit}
      isReadOnly={isReadOnly}
      commit={(value) =>
        edit({
          kind: "set-experiment",
          key,
          ...(value === ""
            ? {}
            : { value: /^[\d.eE+-]+$/.test(value) && unit !== "" ? `${value} ${unit}` : value }),
        })
      }
    />
  );
  return (
    <div>
      <h2>{name}</h2>
      <div className="fields">
        {time("stop", "s")}
        {time("step", "s")}
        {time("start", "s")}
        {time("tolerance", "")}
      </div>
      <label className="field">
        <span>master</span>
        <select
          value={writtenMaster ?? ""}
          disabled={isReadOnly}
          onChange={({ target }) =>
            edit({ kind: "set-master", ...(target.value === "" ? {} : { name: target.value }) })
          }
        >
          <option value="">chosen by Cosimo{master === undefined ? "" : ` (${master})`}</option>
          {MASTER_NAMES.map((one) => (
            <option key={one} value={one} title={COSTS[one]}>
              {one}
              {MASTERS[one].controlsSteps ? ", chooses steps" : ""}
            </option>
          ))}
        </select>
        <small />
      </label>
      {master !== undefined && <p className="muted">{COSTS[master]}</p>}
      {needs.length > 0 && (
        <ul className="needs">
          {needs.map(({ need, met, detail }) => (
            <li key={need} className={met ? "met" : "unmet"}>
              {met ? "✓" : "✗"} {need}: {detail}
            </li>
          ))}
        </ul>
      )}
      <MasterChoices document={document} described={described} costs={COSTS} />
      {advice && advice.master !== master && (
        <p>
          <button
            type="button"
            disabled={isReadOnly}
            onClick={() => edit({ kind: "set-master", name: advice.master })}
          >
            Use {advice.master}
          </button>{" "}
          {advice.masterReason}
        </p>
      )}
      {loops.map(({ path, treatment }) => (
        <p key={path.join()} className="loop">
          loop {path.join(" → ")}: {treatment}
        </p>
      ))}
    </div>
  );
}
