import { describe, expect, it } from "vitest";
import { parseTerminals } from "./terminals.ts";

const FULL = `<?xml version="1.0"?>
<fmiTerminalsAndIcons fmiVersion="3.0">
  <GraphicalRepresentation>
    <CoordinateSystem x1="-10" y1="-20" x2="10" y2="20" suggestedScalingFactorTo_mm="0.5"/>
    <Icon x1="-1" y1="-2" x2="1" y2="2"/>
  </GraphicalRepresentation>
  <Terminals>
    <Terminal name="outer" matchingRule="bus" terminalKind="k" description="d">
      <TerminalMemberVariable variableName="a.u" memberName="u" variableKind="signal"/>
      <TerminalMemberVariable variableName="a.i" variableKind="inflow"/>
      <TerminalStreamMemberVariable inStreamMemberName="hi" outStreamMemberName="ho" inStreamVariableName="a.hi" outStreamVariableName="a.ho"/>
      <Terminal name="inner" matchingRule="plug">
        <Terminal name="innermost" matchingRule="sequence"/>
      </Terminal>
      <TerminalGraphicalRepresentation defaultConnectionColor="255 0 16" defaultConnectionStrokeSize="2" x1="0" y1="1" x2="2" y2="3" iconBaseName="plug"/>
    </Terminal>
    <Terminal name="second" matchingRule="plug"/>
  </Terminals>
  <Annotations><Annotation type="t">x</Annotation></Annotations>
</fmiTerminalsAndIcons>`;

describe("parseTerminals", () => {
  it("[FD34] reads everything", () => {
    const { value, diagnostics } = parseTerminals(FULL);
    expect(diagnostics).toEqual([]);
    expect(value).toEqual({
      fmiVersion: "3.0",
      coordinateSystem: { x1: -10, y1: -20, x2: 10, y2: 20, suggestedScalingFactorToMm: 0.5 },
      icon: { x1: -1, y1: -2, x2: 1, y2: 2 },
      terminals: [
        {
          name: "outer",
          matchingRule: "bus",
          terminalKind: "k",
          description: "d",
          members: [
            { variableName: "a.u", memberName: "u", variableKind: "signal", line: 9 },
            { variableName: "a.i", variableKind: "inflow", line: 10 },
          ],
          streamMembers: [
            {
              inStreamMemberName: "hi",
              outStreamMemberName: "ho",
              inStreamVariableName: "a.hi",
              outStreamVariableName: "a.ho",
              line: 11,
            },
          ],
          terminals: [
            {
              name: "inner",
              matchingRule: "plug",
              members: [],
              streamMembers: [],
              terminals: [
                {
                  name: "innermost",
                  matchingRule: "sequence",
                  members: [],
                  streamMembers: [],
                  terminals: [],
                  line: 13,
                },
              ],
              line: 12,
            },
          ],
          graphics: {
            x1: 0,
            y1: 1,
            x2: 2,
            y2: 3,
            iconBaseName: "plug",
            defaultConnectionColor: [255, 0, 16],
            defaultConnectionStrokeSize: 2,
            line: 15,
          },
          line: 8,
        },
        {
          name: "second",
          matchingRule: "plug",
          members: [],
          streamMembers: [],
          terminals: [],
          line: 17,
        },
      ],
      annotations: [{ type: "t", xml: '<Annotation type="t">x</Annotation>', line: 19 }],
    });
  });

  it("[FD34] has the standard's coordinate system where the file has none", () => {
    const { value } = parseTerminals('<fmiTerminalsAndIcons fmiVersion="3.0"/>');
    expect(value?.coordinateSystem).toEqual({
      x1: -100,
      y1: -100,
      x2: 100,
      y2: 100,
      suggestedScalingFactorToMm: 0.1,
    });
  });

  it.each([
    ['matchingRule="bus"', "", "missing-attribute@8"],
    ['"255 0 16"', '"255 0"', "malformed-attribute@15"],
    ['variableKind="signal"', 'variableKind="signal" x="1"', "unknown-attribute@9"],
    ["</Terminals>", "</Terminal>", "xml-malformed@18"],
    [/fmiTerminalsAndIcons/g, "html", "wrong-root@2"],
  ])("[FD1] finds the line when %s becomes %s", (from, to, expected) => {
    const { diagnostics } = parseTerminals(FULL.replace(from, to), "t.xml");
    expect(diagnostics.map((d) => `${d.code}@${d.place.line}`)).toEqual([expected]);
  });
});
