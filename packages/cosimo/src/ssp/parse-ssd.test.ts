import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../base/diagnostic.ts";
import type { ScenarioDraft, UnitDraft } from "../model/scenario.ts";
import { parseSsd } from "./parse-ssd.ts";
import {
  bindings,
  bus,
  component,
  connections,
  connectors,
  dictionaries,
  dictionary,
  elements,
  linear,
  parameterMapping,
  parameterSet,
  ssd,
  system,
} from "./testing/ssd-text.ts";

type Files = Readonly<Record<string, string>>;

function parse(
  text: string,
  files: Files = {},
): { draft: ScenarioDraft; noticed: readonly Diagnostic[] } {
  const { value, diagnostics } = parseSsd(text, "dir/x.ssd", (path) => files[path]);
  return { draft: value!, noticed: diagnostics };
}

function read(text: string, files: Files = {}): ScenarioDraft {
  const { draft, noticed } = parse(text, files);
  expect(noticed.filter(({ severity }) => severity !== "note")).toEqual([]);
  return draft;
}

/** `a.y -> b.u *2 +1`, one word per connection. */
function wires(draft: ScenarioDraft): string[] {
  return draft.connections.map(({ from, to, factor, offset, mapping }) => {
    const map = mapping?.map((entry) => ` ${entry.from}:${entry.to}`).join("") ?? "";
    const scaled = factor === undefined ? "" : ` *${factor}`;
    return `${from} -> ${to}${scaled}${offset === undefined ? "" : ` +${offset}`}${map}`;
  });
}

const ports = (draft: ScenarioDraft) => draft.ports.map(({ name, inner }) => `${name}=${inner}`);
const unit = (draft: ScenarioDraft, name: string) => draft.units.find((u) => u.name === name)!;

function inside(draft: ScenarioDraft, name: string): ScenarioDraft {
  const { source } = unit(draft, name);
  if (source.kind !== "scenario") throw new Error(`${name} is not a scenario`);
  return source.scenario;
}

const values = (u: UnitDraft) =>
  u.values.map(
    ({ port, value, unit: measure }) =>
      `${port}=${value}${measure === undefined ? "" : ` ${measure}`}`,
  );

const A = component("a", "u< y>");
const B = component("b", "u< y>");

describe("reading an SSD", () => {
  it("[SS1] takes any prefix and the default namespace", () => {
    const text = ssd(elements(A, B) + connections("a.y -> b.u"));
    const renamed = text.replaceAll("ssd:", "x:").replace("xmlns:ssd", "xmlns:x");
    const plain = text.replaceAll("ssd:", "").replace("xmlns:ssd", "xmlns");
    expect(wires(read(renamed))).toEqual(["a.y -> b.u"]);
    expect(wires(read(plain))).toEqual(["a.y -> b.u"]);
  });

  it("[SS3] components become units whose sources are paths, decoded", () => {
    const draft = read(
      ssd(
        elements(
          A.replace("a.fmu", "resources/my%20motor.fmu"),
          B.replace('source="b.fmu"', 'source="sub.ssp#Fast.ssd" type="application/x-ssp-package"'),
        ),
      ),
    );
    expect(draft.units.map(({ source }) => source)).toEqual([
      { kind: "fmu", path: "resources/my motor.fmu" },
      { kind: "scenario-file", path: "sub.ssp#Fast.ssd" },
    ]);
    expect(draft).toMatchObject({ name: "demo", file: "dir/x.ssd", place: { line: 1 } });
  });

  it("[SS3] a component that names another SSD is that system, with files relative to it", () => {
    const other = ssd(
      connectors("in< out>") + elements(A) + connections("in -> a.u", "a.y -> out"),
    );
    const text = component("s", "in< out>").replace("s.fmu", "sub/other.ssd");
    const draft = read(
      ssd(
        elements(
          B,
          text.replace("<ssd:Component", '<ssd:Component type="application/x-ssp-definition"'),
        ) + connections("b.y -> s.in", "s.out -> b.u"),
      ),
      { "sub/other.ssd": other },
    );
    expect(wires(draft)).toEqual(["b.y -> s.in", "s.out -> b.u"]);
    expect(inside(draft, "s")).toMatchObject({ file: "dir/sub/other.ssd" });
    expect(ports(inside(draft, "s"))).toEqual(["in=a.u", "out=a.y"]);
  });

  it("[SS3] a source with # is another instance of a system in the file", () => {
    const first = system("s", "out>", elements(A) + connections("a.y -> out")).replace(
      "<ssd:System",
      '<ssd:System id="it"',
    );
    const draft = read(ssd(elements(first, component("t", "out>").replace("t.fmu", "#it"))));
    expect(draft.units.map((u) => [u.name, u.source.kind])).toEqual([
      ["s", "scenario"],
      ["t", "scenario"],
    ]);
    expect(ports(inside(draft, "t"))).toEqual(["out=a.y"]);
  });

  it("[SS4] nested systems become nested scenarios, an input may lead to several places", () => {
    const inner = system(
      "s",
      "in< out>",
      elements(A, B) + connections("in -> a.u", "in -> b.u", "a.y -> out"),
    );
    const draft = read(
      ssd(elements(inner, component("c", "u< y>")) + connections("c.y -> s.in", "s.out -> c.u")),
    );
    expect(wires(draft)).toEqual(["c.y -> s.in", "s.out -> c.u"]);
    expect(ports(inside(draft, "s"))).toEqual(["in=a.u", "in=b.u", "out=a.y"]);
  });

  it("[SS5] kinds decide where data flows, not start and end", () => {
    const inner = system("s", "in< out>", elements(A) + connections("a.u -> in", "out -> a.y"));
    const draft = read(ssd(elements(inner, B) + connections("b.u -> s.out", "s.in -> b.y")));
    expect(wires(draft)).toEqual(["s.out -> b.u", "b.y -> s.in"]);
    expect(ports(inside(draft, "s"))).toEqual(["in=a.u", "out=a.y"]);
  });

  it("[SS6] transformations and suppressed conversions stay with their connection", () => {
    const table =
      '<ssc:EnumerationMappingTransformation><ssc:MapEntry source="on" target="open"/></ssc:EnumerationMappingTransformation>';
    const text = ssd(
      elements(A, B) + connections(`a.y -> b.u | ${linear(2, 1)}`, `b.y -> a.u | ${table}`),
    );
    const draft = read(
      text.replace('endConnector="u">', 'endConnector="u" suppressUnitConversion="true">'),
    );
    expect(wires(draft)).toEqual(["a.y -> b.u *2 +1", "b.y -> a.u on:open"]);
    expect(draft.connections.map(({ suppress }) => suppress)).toEqual([["unit"], []]);
  });

  it("[SS7] a transformation at the boundary of a system moves to the connection outside", () => {
    const inner = system(
      "s",
      "in< out>",
      elements(A) + connections(`in -> a.u | ${linear(3)}`, `a.y -> out | ${linear(2, 1)}`),
    );
    const draft = read(
      ssd(elements(inner, B) + connections(`b.y -> s.in | ${linear(2, 1)}`, "s.out -> b.u")),
    );
    const [into, out] = ports(inside(draft, "s")).map((port) => port.split("=")[0]);
    expect(wires(draft)).toEqual([`b.y -> s.${into} *6 +3`, `s.${out} -> b.u *2 +1`]);
  });

  it("[SS8] a system that only passes a value on becomes a direct connection", () => {
    const inner = system(
      "s",
      "in< out>",
      elements(component("x", "u<")) + connections(`in -> out | ${linear(5)}`),
    );
    const draft = read(
      ssd(elements(inner, A, B) + connections("a.y -> s.in", `s.out -> b.u | ${linear(2)}`)),
    );
    expect(wires(draft)).toEqual(["a.y -> b.u *10 +0"]);
  });

  it("[SS9] signals of a dictionary become direct connections", () => {
    const draft = read(
      ssd(
        elements(A, B, component("c", "u<"), bus("can", "net", "x?")) +
          connections("a.y -> can.x", "can.x -> b.u", "c.u -> can.x") +
          dictionaries(dictionary("net", "x")),
      ),
    );
    expect(wires(draft)).toEqual(["a.y -> b.u", "a.y -> c.u"]);
  });

  it("[SS9] a dictionary connects systems at any depth", () => {
    const writer = system(
      "w",
      "",
      elements(A, bus("can", "net", "x?")) + connections(`a.y -> can.x | ${linear(2)}`),
    );
    const reader = system(
      "r",
      "",
      elements(B, bus("can", "net", "x?")) + connections("can.x -> b.u"),
    );
    const deep = system("d", "", elements(reader));
    const draft = read(ssd(elements(writer, deep) + dictionaries(dictionary("net", "x"))));
    expect(wires(draft)).toHaveLength(1);
    expect(wires(draft)[0]).toMatch(/^w\.\S+ -> d\.\S+ \*2 \+0$/);
    expect(inside(draft, "w").ports[0]!.inner).toBe("a.y");
    const outer = inside(draft, "d");
    expect(outer.ports[0]!.inner).toBe(`r.${inside(outer, "r").ports[0]!.name}`);
    expect(inside(outer, "r").ports[0]!.inner).toBe("b.u");
  });

  it("[SS9] the nearest dictionary of a name is meant", () => {
    const own = system(
      "s",
      "",
      elements(A, B, bus("can", "net", "x?")) +
        connections("a.y -> can.x", "can.x -> b.u") +
        dictionaries(dictionary("net", "x")),
    );
    const draft = read(
      ssd(elements(own, bus("can", "net", "y?")) + dictionaries(dictionary("net", "y"))),
    );
    expect(wires(inside(draft, "s"))).toEqual(["a.y -> b.u"]);
    expect(inside(draft, "s").ports).toEqual([]);
  });

  it("[SS10] tables on the way combine, later ones after earlier ones", () => {
    const table = (...entries: string[]) =>
      `<ssc:IntegerMappingTransformation>${entries
        .map((e) => e.split(":"))
        .map(([s, t]) => `<ssc:MapEntry source="${s}" target="${t}"/>`)
        .join("")}</ssc:IntegerMappingTransformation>`;
    const draft = read(
      ssd(
        elements(A, B, bus("can", "net", "x?")) +
          connections(
            `a.y -> can.x | ${table("1:2", "3:4")}`,
            `can.x -> b.u | ${table("2:7", "5:6")}`,
          ) +
          dictionaries(dictionary("net", "x")),
      ),
    );
    expect(wires(draft)).toEqual(["a.y -> b.u 1:7 3:4 2:7 5:6"]);
  });
});

describe("parameters of an SSD", () => {
  it("[SS11] bindings set ports; ports that a unit lacks are not a mistake", () => {
    const draft = read(ssd(elements(component("a", "", bindings("k=1.5 on=true name='x'")))));
    expect(values(unit(draft, "a"))).toEqual(["k=1.5", "on=true", "name=x"]);
    expect(unit(draft, "a").values.every(({ optional }) => optional === true)).toBe(true);
  });

  it("[SS11] sets and mappings may lie in files of their own, with a prefix", () => {
    const binding =
      '<ssd:ParameterBindings><ssd:ParameterBinding source="v.ssv" prefix="p."><ssd:ParameterMapping source="m.ssm"/></ssd:ParameterBinding></ssd:ParameterBindings>';
    const draft = read(ssd(elements(component("a", "", binding))), {
      "v.ssv": parameterSet("k=1.5 j=2"),
      "m.ssm": parameterMapping("p.k=gain*2"),
    });
    expect(values(unit(draft, "a"))).toEqual(["gain=3"]);
    expect(unit(draft, "a").values[0]!.place.file).toBe("dir/v.ssv");
  });

  it("[SS27] warns of values for elements, and of mappings for parameters, that do not exist", () => {
    const binding =
      '<ssd:ParameterBindings><ssd:ParameterBinding source="v.ssv"/><ssd:ParameterBinding source="v.ssv"><ssd:ParameterMapping source="m.ssm"/></ssd:ParameterBinding></ssd:ParameterBindings>';
    const texts: Record<string, string> = {
      "v.ssv": parameterSet("motor.k=1.5 moter.k=2"),
      "m.ssm": parameterMapping("motor.k=motor.gain motr.k=motor.j"),
    };
    const { diagnostics } = parseSsd(
      ssd(binding + elements(component("motor", ""))),
      "dir/s.ssd",
      (path) => texts[path],
    );
    const reported = diagnostics.map((d) => `${d.severity} ${d.code} ${d.place.file}: ${d.fix}`);
    expect(reported).toContainEqual(
      expect.stringMatching(/^warning ssp-parameter-unmatched .*v\.ssv: did you mean 'motor\.k'\?/),
    );
    expect(reported).toContainEqual(
      expect.stringMatching(/^warning ssp-mapping-unmatched .*m\.ssm: did you mean 'motor\.k'\?/),
    );
  });

  it("[SS27] lists values of a set that no mapping mentions", () => {
    const bind = (mapping: string): string =>
      `<ssd:ParameterBinding source="v.ssv"><ssd:ParameterMapping source="${mapping}"/></ssd:ParameterBinding>`;
    const texts: Readonly<Record<string, string>> = {
      "v.ssv": parameterSet("a=1 b=2 c=3"),
      "one.ssm": parameterMapping("a=motor.k"),
      "two.ssm": parameterMapping("b=motor.j"),
    };
    const both = `<ssd:ParameterBindings>${bind("one.ssm")}${bind("two.ssm")}</ssd:ParameterBindings>`;
    const { diagnostics } = parseSsd(
      ssd(both + elements(component("motor", ""))),
      "dir/s.ssd",
      (path) => texts[path],
    );
    const reported = diagnostics.map(
      (d) => `${d.severity} ${d.code} ${d.place.file}: ${d.message}, ${d.fix}`,
    );
    expect(reported).toEqual([
      expect.stringMatching(
        /^note ssp-unused dir\/v\.ssv: .*'c'.*no mapping of the set mentions it/,
      ),
    ]);
  });

  it("[SS27] suggests no name that has just been refused", () => {
    const sub = system("sub", "", elements(component("motor", "")));
    const { diagnostics } = parseSsd(
      ssd(bindings("sub.b.k=1") + elements(sub)),
      "s.ssd",
      () => undefined,
    );
    const found = diagnostics.find(({ code }) => code === "ssp-parameter-unmatched");
    expect(found?.message).toContain("'sub.b.k'");
    expect(found?.fix).not.toContain("'sub.b.k'");
  });

  it("[SS12] later bindings win over earlier ones, outer ones over inner ones", () => {
    const inner = system(
      "s",
      "",
      elements(component("a", "", bindings("k=1 j=1 i=1"))),
      bindings("a.k=2 a.j=2"),
    );
    const draft = read(ssd(bindings("s.a.k=3", "s.a.k=4") + elements(inner)));
    expect(values(unit(inside(draft, "s"), "a")).sort()).toEqual(["i=1", "j=2", "k=4"]);
  });

  it("[SS13] the connector of a system stands for what it is connected to inside", () => {
    const inner = system(
      "s",
      "k!",
      elements(component("a", "g!"), component("b", "h!")) +
        connections("k -> a.g", `k -> b.h | ${linear(2)}`),
    );
    const draft = read(ssd(bindings("s.k=5") + elements(inner)));
    expect(values(unit(inside(draft, "s"), "a"))).toEqual(["g=5"]);
    expect(values(unit(inside(draft, "s"), "b"))).toEqual(["h=10"]);
  });

  it("[SS13] a name with dots means every element that it fits", () => {
    const inner = system("s", "", elements(A));
    const draft = read(ssd(bindings("s.a.k=5") + elements(inner, component("s.a", ""))));
    expect(values(unit(draft, "s.a"))).toEqual(["k=5"]);
    expect(values(unit(inside(draft, "s"), "a"))).toEqual(["k=5"]);
  });

  it("[SS14] common units keep their name, others become SI units", () => {
    const draft = read(ssd(elements(component("a", "", bindings("k=5_mm j=3_cubit")))));
    expect(values(unit(draft, "a"))).toEqual(["k=5 mm", "j=1.5 m"]);
  });

  it("[SS15] SSP 2.0 has arrays and all integers", () => {
    const set = parameterSet("")
      .replace('version="1.0"', 'version="2.0"')
      .replace(
        "<ssv:Parameters>",
        '<ssv:Parameters><ssv:Parameter name="A"><ssv:Float64 value="1 2 3 4"/><ssc:Dimension size="2"/><ssc:Dimension size="2"/></ssv:Parameter><ssv:Parameter name="n"><ssv:UInt64 value="18446744073709551615"/></ssv:Parameter><ssv:Parameter name="s"><ssv:String><ssv:Value value="x y"/><ssv:Value value=""/></ssv:String><ssc:Dimension size="2"/></ssv:Parameter>',
      );
    const binding = `<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>${set}</ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>`;
    const text = ssd(elements(component("a", "y>", binding), B) + connections("a.y -> b.u"), {
      version: "2.0",
    });
    const draft = read(text.replace('endElement="b"', 'startIndices="2 1" endElement="b"'));
    expect(unit(draft, "a").values.map(({ value }) => value)).toEqual([
      [1, 2, 3, 4],
      2n ** 64n - 1n,
      ["x y", ""],
    ]);
    expect(wires(draft)).toEqual(["a.y[2,1] -> b.u"]);
  });
});

describe("the rest of an SSD", () => {
  it("[SS16] the default experiment gives start and stop", () => {
    const draft = read(
      ssd(elements(A), { tail: '<ssd:DefaultExperiment startTime="1" stopTime="2.5"/>' }),
    );
    expect(draft.experiment).toEqual({ start: 1, stop: 2.5 });
    expect(draft.master).toMatchObject({ name: "", options: {} });
  });

  it("[SS17] what is not used is listed once per kind, with its count and first line", () => {
    const geometry = '\n<ssd:ElementGeometry x1="0" y1="0" x2="1" y2="1"/>';
    const { noticed } = parse(
      ssd(
        elements(component("a", "", geometry), component("b", "", geometry)) +
          '<ssd:Annotations><ssc:Annotation type="org.x"><y/>text</ssc:Annotation></ssd:Annotations>',
      ),
    );
    expect(noticed.map(({ code, message, place }) => `${code} ${place.line} ${message}`)).toEqual([
      "ssp-unused 2 not used: <ssd:ElementGeometry> (2 times in this file)",
      "ssp-unused 3 not used: annotations of type 'org.x'",
    ]);
  });

  it("[SS17] boxes of the drawing are kept for pictures, where they are boxes", () => {
    const box = (x1: string): string => `<ssd:ElementGeometry x1="${x1}" y1="-4" x2="10" y2="5"/>`;
    const { units } = read(
      ssd(elements(component("a", "", box("-2.5")), component("b", "", box("odd")))),
    );
    expect(units.map(({ drawnAt }) => drawnAt)).toEqual([{ x: -2.5, y: 5 }, undefined]);
  });

  it("[SS18] in a package, no source leads out of it", () => {
    const text = ssd(elements(A.replace("a.fmu", "resources/../../a.fmu")));
    const codes = (packed: boolean) =>
      parseSsd(text, "x.ssd", () => undefined, { packed }).diagnostics.map(({ code }) => code);
    expect(codes(true)).toEqual(["ssp-source"]);
    expect(codes(false)).toEqual([]);
  });
});
