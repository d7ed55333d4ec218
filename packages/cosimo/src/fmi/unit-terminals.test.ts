import { describe, expect, it } from "vitest";
import { standIn } from "../model/testing/stand-in-units.ts";
import { parseTerminals } from "./terminals.ts";
import { unitTerminals } from "./unit-terminals.ts";

const XML = `<fmiTerminalsAndIcons fmiVersion="3.0">
  <Terminals>
    <Terminal name="flange" matchingRule="plug">
      <TerminalMemberVariable variableName="phi" memberName="angle" variableKind="signal"/>
      <TerminalMemberVariable variableName="tau" memberName="torque" variableKind="inflow"/>
      <TerminalMemberVariable variableName="gone" memberName="gone" variableKind="signal"/>
      <TerminalStreamMemberVariable inStreamMemberName="hi" outStreamMemberName="ho" inStreamVariableName="hIn" outStreamVariableName="hOut"/>
      <Terminal name="inner" matchingRule="sequence">
        <TerminalMemberVariable variableName="phi" variableKind="signal"/>
      </Terminal>
    </Terminal>
  </Terminals>
</fmiTerminalsAndIcons>`;

describe("unitTerminals", () => {
  it("[SC23] names ports by index and keeps rules, flows, streams and inner terminals", () => {
    const { ports } = standIn("A", "out phi; in tau =0; in hIn =0; out hOut");
    expect(unitTerminals(parseTerminals(XML).value!, ports)).toEqual([
      {
        name: "flange",
        matchingRule: "plug",
        members: [
          { name: "angle", port: 0, kind: "signal" },
          { name: "torque", port: 1, kind: "inflow" },
        ],
        streams: [{ inName: "hi", outName: "ho", inPort: 2, outPort: 3 }],
        terminals: [
          {
            name: "inner",
            matchingRule: "sequence",
            members: [{ name: "phi", port: 0, kind: "signal" }],
            streams: [],
            terminals: [],
          },
        ],
      },
    ]);
  });
});
