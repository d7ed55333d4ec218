/**
 * `cosimo check plant.mci`: does an interface fit its unit, and what does it say?
 */
import { type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import {
  type DescribedInterface,
  describeInterfaceFile,
  unreadable,
} from "../../host/describe-interface.ts";
import { diskFiles } from "../../host/sources/files.ts";
import type { Trust } from "../../host/trust.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import type { ExitCode } from "../command.ts";
import { findingTexts, verdictCounts } from "../findings.ts";
import { textTable } from "../info/text-table.ts";
import { print, printJson } from "../terminal.ts";

export async function checkInterfaceFile(
  path: string,
  trust: Trust,
  asJson: boolean,
): Promise<ExitCode> {
  const temp = createTempFolder();
  try {
    const { value, diagnostics } = await described(path, temp.path, trust);
    if (asJson)
      printJson({ interface: path, ...(value && { declared: value.declared }), diagnostics });
    else print(page(path, value, diagnostics));
    return hasErrors(diagnostics) ? 1 : 0;
  } finally {
    temp.remove();
  }
}

async function described(path: string, folder: string, trust: Trust) {
  try {
    return await describeInterfaceFile(path, folder, diskFiles(trust));
  } catch (error) {
    return { diagnostics: [unreadable(error, path)] };
  }
}

function page(
  path: string,
  value: DescribedInterface | undefined,
  findings: readonly Diagnostic[],
): string {
  const parts: string[] = [];
  if (value !== undefined) {
    const { name, source, ports } = value.declared;
    parts.push(
      `${name}${source === undefined ? "" : `  ${source.path}`}`,
      ["ports", ...textTable(ports.map(portRow))].join("\n"),
    );
  }
  if (findings.length > 0) parts.push(["findings", ...findingTexts(findings)].join("\n"));
  parts.push(`${path}: ${verdict(value, findings)}`);
  return parts.join("\n\n");
}

function portRow(port: DescribedInterface["declared"]["ports"][number]): string[] {
  const { name, direction, nature, type, shape, events } = port;
  const size = shape.length === 0 ? "" : ` [${shape.join(", ")}]`;
  return [
    name,
    direction ?? "",
    `${type ?? ""}${size}`,
    nature ?? "",
    events.map(({ kind }) => kind).join(", "),
  ];
}

function verdict(value: DescribedInterface | undefined, findings: readonly Diagnostic[]): string {
  if (findings.length > 0) return verdictCounts(findings);
  return value?.unit === undefined
    ? "no problems found; it names no unit that can be opened"
    : "it fits its unit";
}
