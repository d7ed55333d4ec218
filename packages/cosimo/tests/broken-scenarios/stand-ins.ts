/**
 * The units that the broken scenarios are made of, and the way from a file to its diagnostics.
 */
import type { Diagnostic } from "../../src/base/diagnostic.ts";
import { parseScenarioYaml } from "../../src/lang/scenario/parse-scenario.ts";
import { resolveScenario } from "../../src/model/resolve-scenario.ts";
import { standIn } from "../../src/model/testing/stand-in-units.ts";
import type { Terminal, UnitDescription } from "../../src/model/unit-description.ts";

function flange(matchingRule: string, names: readonly string[]): Terminal {
  const members = names.map((name, port) => ({ name, port, kind: "signal" as const }));
  return { name: "flange", matchingRule, members, streams: [], terminals: [] };
}

/** A unit whose ports carry events. */
function withEvents(unit: UnitDescription): UnitDescription {
  return { ...unit, ports: unit.ports.map((port) => ({ ...port, nature: "transient" })) };
}

const UNITS: Readonly<Record<string, UnitDescription>> = {
  "motor.fmu": standIn(
    "Motor",
    "in u @V =0; in torque @N.m =0; out speed @rad/s; out temperature @degC; out frequency @Hz; par R @Ohm =1 <0..100>; calc tau @s; local i @A; out mode {off:0,on:1}; par serial ~constant =1",
  ),
  "load.fmu": standIn(
    "Load",
    "in speed @rad/s =0; out torque @N.m; par mass @kg =1; in enable :boolean =false; in gear :int8 =0; in stage {slow:0,fast:1} =0; in offset @m =0; out odd @smoot",
  ),
  "tank.fmu": standIn(
    "Tank",
    "in flow [2] @m3/s; out level [3] @m; out A [2x2]; par area [2] @m2 =1; par label :string =x; par count :int32 =1; par speed {slow:0,fast:1} =0; par data :binary =00",
  ),
  "counter.js": standIn(
    "Counter",
    "in u =0; out count :int64; out label :string; in text :string =x",
  ),
  "mass.fmu": standIn(
    "Mass",
    "in F @N =0; in M @N.m =0; in s =0; out x @m; out v @m/s; out q [2] @m; out w [2] @m/s; out k @km/h; out T @degC; out n :int32; in K @K =0; in c :int32 =0; local i @m",
  ),
  "cart.fmu": standIn(
    "Cart",
    "in F @N =0; in v @m/s =0; out x @m; out dx @m/s 'x; out F2 @N; out odd @smoot; out turn @Hz; out spin @rad/s",
  ),
  "bell.fmu": withEvents(standIn("Bell", "out rings :boolean")),
  "left.fmu": standIn("Left", "out phi; in tau =0", [flange("plug", ["phi", "tau"])]),
  "right.fmu": standIn("Right", "in phi =0; in tau =0", [flange("plug", ["phi", "tau"])]),
  "short.fmu": standIn("Short", "in phi =0", [flange("plug", ["phi"])]),
  "stiff.fmu": standIn("Stiff", "out phi; par c =1", [flange("plug", ["phi", "c"])]),
  "soft.fmu": standIn("Soft", "in phi =0; par c =2", [flange("plug", ["phi", "c"])]),
  "bus.fmu": standIn("Bus", "in phi =0; out tau", [flange("bus", ["phi", "tau"])]),
};

const NESTED: Readonly<Record<string, string>> = {
  "cell.yaml": "units: { motor: motor.fmu }\nports: { u: motor.u, speed: motor.speed }\n",
  "held.yaml":
    'units: { a: cart.fmu, b: cart.fmu }\nconstraints: [{ constraint: a.x = b.x, by: "a.F, -b.F" }]\nports: { F: a.F }\n',
  "changing.yaml":
    "units: { motor: motor.fmu }\nstructure: { rules: [{ at: 1 s, remove: motor }] }\n",
  "required.yaml":
    "units: { motor: motor.fmu }\nports: { u: motor.u, speed: motor.speed }\nrequirements: [always motor.speed < 3]\n",
  "wrong.yaml": "units: { motor: motor.fmu }\nports: { u: motor.v }\n",
};

/** Everything that is said about `text`: reading first, then, when that left a draft, resolving. */
export function diagnosticsOf(text: string, file: string): readonly Diagnostic[] {
  const { value, diagnostics } = parseScenarioYaml(text, file);
  if (value === undefined || diagnostics.length > 0) return diagnostics;
  return resolveScenario(
    value,
    (source) => (source.kind === "scenario" ? undefined : UNITS[(source as { path: string }).path]),
    (path) => {
      const inner = path === file ? text : NESTED[path];
      return inner === undefined ? undefined : parseScenarioYaml(inner, path).value;
    },
  ).diagnostics;
}

/**
 * `6:5 error unknown-unit: …` and its fix, as the head of each file lists them; other files are
 * named.
 */
export function expectationOf(
  { code, severity, message, fix, place }: Diagnostic,
  file: string,
): string {
  const where = place.file === file ? "" : `${place.file}:`;
  return `# expects ${where}${place.line}:${place.column} ${severity} ${code}: ${message}\n#   fix: ${fix}`;
}
