/**
 * The terminals of an FMU in the words of the unit description, so that scenarios connect them
 * without knowing FMI's files.
 */
import type {
  Port,
  TerminalMember as UnitMember,
  TerminalStream as UnitStream,
  Terminal as UnitTerminal,
} from "../model/unit-description.ts";
import type { Terminal, TerminalMember, TerminalsAndIcons } from "./terminals.ts";

/**
 * `terminals` with members as indices into `ports`. A member that names no variable is left out:
 * reading the file has its own checks, and a connection of the terminal then says which member is
 * missing.
 */
export function unitTerminals(
  { terminals }: TerminalsAndIcons,
  ports: readonly Port[],
): UnitTerminal[] {
  const indices = new Map(ports.map(({ name, index }) => [name, index]));
  return terminals.map((terminal) => convert(terminal, indices));
}

function convert(terminal: Terminal, indices: ReadonlyMap<string, number>): UnitTerminal {
  return {
    name: terminal.name,
    matchingRule: terminal.matchingRule,
    members: terminal.members.flatMap((member) => memberOf(member, indices)),
    streams: streamsOf(terminal, indices),
    terminals: terminal.terminals.map((inner) => convert(inner, indices)),
  };
}

/** A sequence needs no member names; messages then use the variable's. */
function memberOf(member: TerminalMember, indices: ReadonlyMap<string, number>): UnitMember[] {
  const { variableName, memberName, variableKind } = member;
  const port = indices.get(variableName);
  if (port === undefined) return [];
  const kind = variableKind === "inflow" || variableKind === "outflow" ? variableKind : "signal";
  return [{ name: memberName ?? variableName, port, kind }];
}

function streamsOf(terminal: Terminal, indices: ReadonlyMap<string, number>): UnitStream[] {
  return terminal.streamMembers.flatMap((stream) => {
    const inPort = indices.get(stream.inStreamVariableName);
    const outPort = indices.get(stream.outStreamVariableName);
    if (inPort === undefined || outPort === undefined) return [];
    const { inStreamMemberName: inName, outStreamMemberName: outName } = stream;
    return [{ inName, outName, inPort, outPort }];
  });
}
