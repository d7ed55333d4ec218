/**
 * What is selected, and everything that can be changed of it by keyboard: what dragging does in the
 * graph can be done here too.
 */
import type { Described, DescribedScenario } from "@cosimo/serve/protocol.ts";
import { useStore } from "../base/store.ts";
import type { ScenarioDocument } from "../document/scenario-document.ts";
import { type Graph, writtenEnds } from "../graph/model.ts";
import { edit, selected } from "../session.ts";
import { ScenarioFields } from "./scenario-fields.tsx";
import { UnitFields } from "./unit-fields.tsx";

interface Props {
  readonly document: ScenarioDocument;
  readonly described: Described | undefined;
  readonly graph: Graph | undefined;
  readonly inside: DescribedScenario | undefined;
  readonly isReadOnly: boolean;
  /** The name of a port in runs. */
  signalOf(port: string): string | undefined;
}

export function Inspector({ document, described, graph, inside, isReadOnly, signalOf }: Props) {
  const chosen = useStore(selected);
  const unit =
    chosen?.kind === "unit" ? inside?.units.find(({ name }) => name === chosen.unit) : undefined;
  const wire =
    chosen?.kind === "wire" ? graph?.wires.find(({ id }) => id === chosen.wire) : undefined;
  return (
    <section className="inspector" aria-label="properties">
      {unit && graph ? (
        <UnitFields
          key={unit.name}
          unit={unit}
          graph={graph}
          isReadOnly={isReadOnly}
          signalOf={signalOf}
        />
      ) : wire ? (
        <div>
          <h2>Connection</h2>
          {wire.about.map((line) => (
            <p key={line}>{line}</p>
          ))}
          {wire.problem && <p className={wire.problem.severity}>{wire.problem.text}</p>}
          <div className="buttons">
            {wire.line !== undefined && (
              <button type="button" onClick={() => document.reveal(wire.line ?? 1)}>
                Show line {wire.line}
              </button>
            )}
            <button
              type="button"
              disabled={isReadOnly}
              onClick={() => {
                edit({ kind: "disconnect", ...writtenEnds(wire) });
                selected.set(undefined);
              }}
            >
              Remove
            </button>
          </div>
        </div>
      ) : (
        <ScenarioFields described={described} isReadOnly={isReadOnly} document={document} />
      )}
    </section>
  );
}
