/**
 * The page of an FMU: what `cosimo info` and `cosimo validate` know of it.
 */
import type { FmuPage } from "@cosimo/serve/protocol.ts";
import { FindingList } from "./problems.tsx";

export function FmuView({ page }: { page: FmuPage }) {
  const { path, text, findings } = page;
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return (
    <article className="fmu" aria-label={`FMU ${path}`}>
      <h2>{path.split("/").at(-1)}</h2>
      <section aria-label="what it is">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <pre tabIndex={0}>{text}</pre>
      </section>
      <section aria-label="validation">
        <h3>
          {findings.length === 0
            ? "Validation: no problems found"
            : `Validation: ${errors} errors, ${findings.length - errors} other findings`}
        </h3>
        <FindingList
          findings={findings.map(({ place, ...rest }) => ({
            ...rest,
            file: place.file,
            ...(place.line === undefined ? {} : { line: place.line }),
          }))}
        />
      </section>
    </article>
  );
}
