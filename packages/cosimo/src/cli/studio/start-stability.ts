/**
 * A stability analysis of the studio, in a process of its own.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import type { StabilityRequest } from "../../serve/protocol.ts";
import type { StabilityEvent } from "../../serve/services.ts";
import { spectralPicture } from "../stability/spectral-picture.ts";
import { startProcess } from "./start-process.ts";

/** In words: findings are in lists, and this one is what a person waits for. */
function refusal(diagnostics: readonly Diagnostic[]): { readonly failure: string } {
  const first = diagnostics.find(({ severity }) => severity === "error") ?? diagnostics[0];
  if (first === undefined) return { failure: "the scenario was refused" };
  const { line } = first.place;
  return { failure: `${line === undefined ? "" : `line ${line}: `}${first.message}; ${first.fix}` };
}

export function startStability(
  file: string,
  { text, master, step }: StabilityRequest,
  trust: boolean,
  hear: (event: StabilityEvent) => void,
): { stop(): void } {
  let isOver = false;
  const end = (event: StabilityEvent): void => {
    if (isOver) return;
    isOver = true;
    hear(event);
  };
  const options = { ...present({ master, step }), range: {}, method: "auto" } as const;
  return startProcess(
    { kind: "stability", file, request: { trust, set: [], options, ...present({ text }) } },
    {
      line: () => undefined,
      message(said) {
        if (said.kind === "working") hear(said);
        else if (said.kind === "refused")
          end({ kind: "failed", ...refusal(said.diagnostics), diagnostics: said.diagnostics });
        else if (said.kind === "broken") end({ kind: "failed", failure: said.message });
        else if (said.kind === "analysed") {
          const { report, diagnostics, failure, stoppedBy } = said.end;
          if (report !== undefined)
            end({
              kind: "done",
              fraction: 1,
              doing: "done",
              diagnostics,
              report,
              advice: report.advice,
              picture: spectralPicture(report),
            });
          else
            end({
              kind: stoppedBy === undefined ? "failed" : "stopped",
              diagnostics,
              ...(stoppedBy === undefined && failure === undefined
                ? refusal(diagnostics)
                : present({ failure })),
            });
        }
      },
      end: (how) => end({ kind: "failed", failure: `the analysis ended with ${how}` }),
    },
  );
}
