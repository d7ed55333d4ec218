/**
 * What every master would need of the units of this scenario, and what it costs: asked of the
 * checks when a person wants to compare.
 */
import { MASTER_NAMES, type MasterName } from "@cosimo/model/masters.ts";
import type { Described } from "@cosimo/serve/protocol.ts";
import { useEffect, useState } from "react";
import { api } from "../api/client.ts";
import type { ScenarioDocument } from "../document/scenario-document.ts";

interface Props {
  readonly document: ScenarioDocument;
  /** As it is now: another one is another comparison. */
  readonly described: Described;
  readonly costs: Readonly<Record<MasterName, string>>;
}

type Choice = Pick<Described, "explanation" | "diagnostics">;

export function MasterChoices({ document, described, costs }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [found, setFound] = useState<ReadonlyMap<MasterName, Choice>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is described follows from the text
  useEffect(() => {
    setFound(new Map());
    if (!isOpen) return;
    let isOld = false;
    const ask = async (): Promise<void> => {
      for (const master of MASTER_NAMES) {
        const answer = await api.describe(document.request({ master, isBrief: true }));
        if (isOld) return;
        setFound((before) => new Map(before).set(master, answer));
      }
    };
    void ask().catch(() => undefined);
    return () => {
      isOld = true;
    };
  }, [isOpen, described, document]);
  return (
    <details className="masters" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>what each master needs and costs</summary>
      <dl>
        {MASTER_NAMES.map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{costs[name]}</dd>
            <Needs choice={found.get(name)} />
          </div>
        ))}
      </dl>
    </details>
  );
}

function Needs({ choice }: { choice: Choice | undefined }) {
  if (choice === undefined) return <dd className="muted">…</dd>;
  const error = choice.diagnostics.find(({ severity }) => severity === "error");
  if (error !== undefined)
    return (
      <dd className="unmet">
        ✗ {error.message}; {error.fix}
      </dd>
    );
  const needs = choice.explanation?.master.needs ?? [];
  if (needs.length === 0) return <dd className="met">✓ needs nothing more of the units</dd>;
  return needs.map(({ need, met, detail }) => (
    <dd key={need} className={met ? "met" : "unmet"}>
      {met ? "✓" : "✗"} {need}: {detail}
    </dd>
  ));
}
