/**
 * Findings with what to do about them. A click shows the line; where the language server knows a
 * repair, a button makes it.
 */
import { useEffect, useState } from "react";
import { Store, useStore } from "../base/store.ts";
import type { Finding, Fix, TextDocument } from "../document/text-document.ts";
import { allFiles, attempt, files, open } from "../session.ts";

const NEVER = new Store(0);
const ORDER = { error: 0, warning: 1, note: 2 } as const;

export function Problems({ document }: { document: TextDocument }) {
  const findings = useStore(document.findings);
  return findings.length === 0 ? (
    <p className="muted">No problems found.</p>
  ) : (
    <FindingList findings={findings} document={document} />
  );
}

interface ListProps {
  readonly findings: readonly Finding[];
  readonly document?: TextDocument;
}

export function FindingList({ findings, document }: ListProps) {
  const sorted = findings.toSorted((a, b) => ORDER[a.severity] - ORDER[b.severity]);
  return (
    <ul className="findings">
      {sorted.map((finding, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same finding may occur twice
        <li key={`${finding.code} ${finding.line} ${i}`} className={finding.severity}>
          <FindingItem finding={finding} document={document} />
        </li>
      ))}
    </ul>
  );
}

function FindingItem({
  finding,
  document,
}: {
  finding: Finding;
  document: TextDocument | undefined;
}) {
  const { severity, code, message, fix, file, line } = finding;
  const [fixes, setFixes] = useState<readonly Fix[]>([]);
  const looks = useStore(document?.looks ?? NEVER);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the language server knows repairs after it has looked at the text
  useEffect(() => {
    let isOld = false;
    document
      ?.fixesFor(finding)
      .then((found) => {
        if (!isOld) setFixes(found);
      })
      .catch(() => undefined);
    return () => {
      isOld = true;
    };
  }, [document, finding, looks]);
  const place = [file?.split("/").at(-1), line].filter((part) => part !== undefined).join(":");
  return (
    <>
      <span className={`severity ${severity}`}>{severity}</span>
      <button type="button" className="place" onClick={() => show(finding, document)}>
        {place === "" ? "file" : file === undefined ? `line ${line}` : place}
      </button>
      <span className="message">
        {message} <em>{fix}</em> <small>{code}</small>
      </span>
      {fixes.map(({ title, apply }) => (
        <button type="button" className="fix" key={title} onClick={apply}>
          {title}
        </button>
      ))}
    </>
  );
}

function show({ file, line, column }: Finding, document: TextDocument | undefined): void {
  if (file === undefined) {
    if (line !== undefined) document?.reveal(line, column);
    document?.view.focus();
  } else if (allFiles(files.get()?.files ?? []).some(({ path }) => path === file))
    void attempt(() => open(file));
}
