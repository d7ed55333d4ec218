/**
 * An orchestration algorithm as text: what parse-orchestration.ts reads.
 */
import {
  type Operation,
  type OrchestratedSystem,
  type Orchestration,
  operationText,
} from "../../model/orchestration.ts";

/** @param about the units: described, or the scenario that they are in. */
export function printOrchestration(
  { initialization = [], step }: Orchestration,
  about: OrchestratedSystem | { readonly scenario: string },
): string {
  return [
    ...("scenario" in about ? [`scenario: ${about.scenario}`] : systemLines(about)),
    ...section("initialization", initialization),
    ...section("step", step),
    "",
  ].join("\n");
}

function systemLines({ units, connections }: OrchestratedSystem): string[] {
  const lines = ["units:"];
  for (const { name, inputs, outputs, mayRefuse, canRollBack } of units) {
    const parts = [
      `inputs: ${map(Object.entries(inputs))}`,
      `outputs: ${map(Object.entries(outputs).map(([port, needs]) => [port, `[${needs.map(quoted).join(", ")}]`]))}`,
      ...(mayRefuse ? ["mayRefuse: true"] : []),
      ...(canRollBack ? [] : ["rollback: false"]),
    ];
    lines.push(`  ${name}: { ${parts.join(", ")} }`);
  }
  if (connections.length === 0) return lines;
  return [...lines, "connections:", ...connections.map(({ from, to }) => `  - ${from} -> ${to}`)];
}

function map(entries: readonly (readonly [string, string])[]): string {
  return entries.length === 0
    ? "{}"
    : `{ ${entries.map(([key, value]) => `${quoted(key)}: ${value}`).join(", ")} }`;
}

/** Names of ports may be anything. */
function quoted(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : JSON.stringify(name);
}

function section(key: string, operations: readonly Operation[]): string[] {
  return operations.length === 0 ? [`${key}: []`] : [`${key}:`, ...lines(operations, "  ")];
}

function lines(operations: readonly Operation[], indent: string): string[] {
  return operations.flatMap((operation) => {
    if (operation.kind !== "repeat") return [`${indent}- ${operationText(operation)}`];
    const { until, body, retry } = operation;
    const condition = until === "accepted" ? "accepted" : `{ agree: [${until.agree.join(", ")}] }`;
    const inner = `${indent}    `;
    return [
      `${indent}- repeat:`,
      `${inner}until: ${condition}`,
      `${inner}do:`,
      ...lines(body, `${inner}  `),
      ...(retry.length === 0 ? [] : [`${inner}retry:`, ...lines(retry, `${inner}  `)]),
    ];
  });
}
