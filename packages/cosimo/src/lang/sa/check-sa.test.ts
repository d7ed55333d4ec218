import { describe, expect, it } from "vitest";
import { formatDiagnostic, unwrap } from "../../base/diagnostic.ts";
import { checkSa } from "./check-sa.ts";
import { SA_RULES } from "./diagnostics.ts";
import { explicitForm } from "./explicit-form.ts";
import type { Describe } from "./inner-ports.ts";
import { codes, HEAD, read } from "./testing/bare.ts";
import { described } from "./testing/described.ts";
import { listing } from "./testing/listings.ts";

const unknown: Describe = () => undefined;

const WINDOW = described(
  "window: in displacement (rad), in speed (rad/s), in reaction_force (N), out height (cm), out reaction_torque (N.m)",
);
const CONTROLLER = described(
  "controller: in obj_detected: boolean, in passenger_up: boolean, in passenger_down: boolean, in passenger_stop: boolean, in driver_up: boolean, in driver_down: boolean, in driver_stop: boolean, out up: boolean, out down: boolean, out stop: boolean",
);
const F = `for inner fmu F f at "f.fmu"\n`;
const KNOWN = described(
  "f: in u, in n: integer, in b: boolean, in s: string, in list[3], out y, out on: boolean, out k: integer; rollback",
  "g: in x, out z",
);

/**
 * Diagnostics of an adaptation of `f`, `line:column code`, the head and the unit in lines 1 and 2.
 */
function found(text: string, describeUnit: Describe = KNOWN): string[] {
  return checkSa(read(`${HEAD}${F}${text}`), describeUnit).map(
    ({ code, place }) => `${place.line}:${place.column} ${code}`,
  );
}

const control = (text: string): string[] => found(`control rules {\n${text} }`);
const STEP = "return do_step(f, t, H);";

function texts(text: string, describeUnit: Describe = KNOWN): string {
  return checkSa(read(`${HEAD}${F}${text}`), describeUnit)
    .map(formatDiagnostic)
    .join("\n");
}

describe("the listings", () => {
  it("[SA22] the slip in listing 1 is found, with the port that is meant", () => {
    expect(checkSa(read(listing("paper-1")), WINDOW).map(formatDiagnostic)).toEqual([
      "test.sa:13:20 error sa-direction: 'window.reaction_force' is an input, and rules read outputs\n  fix: did you mean 'reaction_torque'?",
    ]);
  });

  it("[SA25] the unit that listing 3 gives to a force is found", () => {
    const force = described("obstacle: in disp (m), out reaction_force (N); rollback");
    expect(codes(checkSa(read(listing("paper-3")), force))).toEqual(["sa-unit", "sa-unit"]);
  });

  it.each(["paper-3", "paper-4", "paper-5", "thesis-2"])(
    "[SA22] nothing else is wrong with %s",
    (name) => {
      const text = listing(name).replace("reaction_force (m)", "reaction_force (N)");
      expect(checkSa(read(text), unknown).map(formatDiagnostic)).toEqual([]);
    },
  );

  it.each(["paper-1", "paper-3", "paper-4", "paper-5"])(
    "[SA22] the explicit form of %s passes the checks that it passed",
    (name) => {
      const text = listing(name)
        .replace("reaction_force (m)", "reaction_force (N)")
        .replace("-window.reaction_force", "-window.reaction_torque");
      const explicit = unwrap(explicitForm(read(text), CONTROLLER));
      expect(checkSa(explicit, CONTROLLER)).toEqual([]);
    },
  );
});

describe("names", () => {
  it.each([
    ["input ports a -> g.u", "3:18 sa-unknown-unit"],
    ["input ports a -> f.uu", "3:18 sa-unknown-port"],
    ["input ports a -> f.y", "3:18 sa-direction"],
    ["input ports a -> f.list", "3:18 sa-array"],
    ["output ports a <- f.u", "3:19 sa-direction"],
    ["with f.y -> f.q", "3:13 sa-unknown-port"],
    ["param p := q;", "3:12 sa-initial"],
    ["param p := 1, p := 2;", "3:15 sa-duplicate-name"],
    ["param H := 1;", "3:7 sa-reserved-name"],
    ["in var sin := 1;", "3:8 sa-reserved-name"],
    ["input ports q -> f.u\noutput ports q <- f.y", "4:14 sa-duplicate-name"],
    ["input ports p -> f.u, q -> f.u", "3:23 sa-fed-twice"],
  ])("[SA22] %j: %s", (text, expected) => {
    expect(found(text)).toContain(expected);
  });

  it("[SA22] what is close is offered, and what is left out of a list is said to be", () => {
    expect(texts("input ports a -> f.onn")).toContain("fix: it has u, n, b, s");
    expect(texts("output ports a <- f.onn")).toContain("fix: did you mean 'on'?");
    expect(texts("with input ports u\ninput ports a -> f.n")).toContain(
      "'f' has a port 'n', and the list of its ports leaves it out",
    );
    expect(texts("with input ports u, missing")).toContain("'f' has no input 'missing'");
  });

  it("[SA22] rules name what is declared, before they use it", () => {
    expect(control(`x := 1; ${STEP}`)).toEqual(["4:1 sa-unknown-name"]);
    expect(control(`var z := x; var x := 1; ${STEP}`)).toEqual(["4:10 sa-unknown-name"]);
    expect(control(`if true { var x := 1; } return x;`)).toContain("4:32 sa-unknown-name");
    expect(control(`var x := 1; if x > 0 { var x := 2; } var x := 3; ${STEP}`)).toEqual([
      "4:38 sa-duplicate-name",
    ]);
  });

  it("[SA22] nothing is said of a unit of which nothing is known", () => {
    expect(
      found("output ports a <- f.whatever\nout rules { f.up -> {} --> {}; }", unknown),
    ).toEqual([]);
  });
});

describe("storage", () => {
  const variables =
    "control var c := 0; in var i := 0; out var o := 0; param p := 1;\ninput ports e -> f.u\noutput ports q";
  const rule = (kind: "in" | "out", first: string, second: string) =>
    found(
      `${variables}\n${kind} rules { true -> { ${first} } --> { ${second} }; }\nout rules { true -> {} --> { q := 0; }; }`,
    );

  it.each([
    ["in", "i := 1;", "f.n := 1;", []],
    ["out", "o := 1;", "a.q := 1;", []],
    ["in", "c := 1; o := 1; p := 1; f.u := 1; q := 1; e := 1;", "", Array(6).fill("sa-assign")],
    ["in", "", "i := 1; c := 1; q := 1;", Array(3).fill("sa-assign")],
    ["out", "i := 1; f.u := 1; q := 1;", "o := 1; f.u := 1;", Array(5).fill("sa-assign")],
    ["in", "", "f.y := 1;", ["sa-direction"]],
    ["in", "var x := 1; x := 2;", "var x := 1; x := 2;", []],
  ] as const)("[SA23] %s rules: '%s' and '%s'", (kind, first, second, expected) => {
    expect(rule(kind, first, second).map((text) => text.split(" ")[1])).toEqual(expected);
  });

  it("[SA23] control rules assign control variables and inputs of inner units", () => {
    expect(
      found(
        `${variables.replace("q", "q <- f.y")}\ncontrol rules { c := 1; f.u := 2; i := 1; ${STEP} }`,
      ),
    ).toEqual(["6:35 sa-assign"]);
  });

  it("[SA23] says what belongs where", () => {
    expect(texts("in var i := 0;\ncontrol rules { i := 1; return do_step(f, t, H); }")).toContain(
      "'i' is an in variable, and in control rules only control variables and inputs of inner units are assigned",
    );
  });

  it.each([
    ["in rules { t > 0 -> {} --> {}; }", ["3:12 sa-not-here"]],
    ["in rules { true -> {} --> { f.u := t + H + h + dt; }; }", []],
    ["control rules { return do_step(f, t, dt); }", ["3:38 sa-not-here"]],
    ["in rules { true -> {} --> { save_state(f); }; }", ["3:29 sa-not-here"]],
  ])("[SA23] time is there where a step happens: %s", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });
});

describe("types", () => {
  it.each([
    ["f.b := 1;", ["sa-type"]],
    ["f.b := f.on and not f.on;", []],
    ["f.u := f.on;", ["sa-type"]],
    ["f.u := f.k;", []],
    ["f.n := f.y;", ["sa-type"]],
    ["f.n := round(f.y) + f.k * 2 - 1;", []],
    ["f.n := 3;", []],
    ["f.n := -f.k;", []],
    ["f.n := f.k / 2;", ["sa-type"]],
    ['f.s := "a";', []],
    ["f.s := 1;", ["sa-type"]],
    ["f.u := f.on ? 1 : f.y;", []],
    ["f.u := f.y ? 1 : 2;", ["sa-type"]],
    ["f.u := f.on ? 1 : true;", ["sa-type"]],
    ["f.b := f.y == f.on;", ["sa-type"]],
    ["f.b := f.y < f.k or f.y == f.k;", []],
    ["f.u := 1 + (f.y and 2);", ["sa-type", "sa-type", "sa-type"]],
    ["f.u := min(f.on, 1);", ["sa-type"]],
    ["f.b := is_close(f.y, 1, 2, 3);", []],
    ["var x: integer := f.y;", ["sa-type"]],
    ["if f.y { }", ["sa-type"]],
    ["for (var i in 0 .. f.on) { f.n := i; }", ["sa-type"]],
    ["f.u := save_state(f);", ["sa-type"]],
    ["do_step(1, t, H);", ["sa-type"]],
  ])("[SA24] %s: %j", (text, expected) => {
    expect(control(`${text} ${STEP}`).map((one) => one.split(" ")[1])).toEqual(expected);
  });

  it("[SA24] ports and what they are bound to, parameters and their values", () => {
    expect(found("input ports a: real -> f.b")).toEqual(["3:13 sa-type"]);
    expect(found("output ports a: boolean <- f.y")).toEqual(["3:14 sa-type"]);
    expect(found("param p: boolean := 1;")).toEqual(["3:21 sa-type"]);
    expect(found("in rules { f.y -> {} --> {}; }")).toEqual(["3:12 sa-type"]);
    expect(texts("with f.on -> f.u")).toContain("'f.on' is a boolean, and a real is wanted");
    // The target has the type that is wanted; what it gets has another one.
    const assigned = "what 'f.n' is given is a real, and an integer is wanted";
    expect(texts("in rules { true -> {} --> { f.n := f.y; }; }")).toContain(assigned);
    expect(texts("param p: boolean := 1;")).toContain("what 'p' is given is a real");
  });

  it.each([
    ["f.u := sqr(1);", "sa-unknown-function", "did you mean 'sqrt'?"],
    ["f.u := atan2(1);", "sa-arguments", "write atan2(y, x)"],
    ["do_step(f, t);", "sa-arguments", "write do_step(unit, time, step)"],
    ["save_state(ff);", "sa-unknown-unit", "did you mean 'f'?"],
  ])("[SA24] %s: %s", (text, code, fix) => {
    const [first] = checkSa(read(`${HEAD}${F}control rules { ${text} ${STEP} }`), KNOWN);
    expect(first).toMatchObject({ code, fix });
  });
});

describe("physical units", () => {
  it("[SA25] what is bound, connected or declared measures the same thing", () => {
    const metres = described("f: in u (m), out y (N)");
    expect(found("input ports a (cm) -> f.u", metres)).toEqual([]);
    expect(found("input ports a (s) -> f.u", metres)).toEqual(["3:13 sa-unit"]);
    expect(found("with f.y -> f.u\ncontrol rules { return do_step(f, t, H); }", metres)).toEqual([
      "3:1 sa-unit",
    ]);
    expect(found("with input ports u (N)", metres)).toEqual(["3:18 sa-unit"]);
    expect(found("input ports a (smoot) -> f.u", metres)).toEqual(["3:13 sa-unit-unknown"]);
  });
});

describe("steps and rules", () => {
  it.each([
    ["false", ["sa-never"]],
    ["not true", ["sa-never"]],
    ["1 > 2 and f.on", ["sa-never"]],
    ["true ? false : f.on", ["sa-never"]],
    ["false ? true : 1 == 2", ["sa-never"]],
    ["f.on ? false : false", []],
    ["false ? false : true", []],
    ["true", []],
    ["f.on and 2 > 1", []],
  ])("[SA26] a rule with the condition '%s': %j", (condition, expected) => {
    expect(
      found(`in rules { ${condition} -> {} --> {}; }`).map((one) => one.split(" ")[1]),
    ).toEqual(expected);
  });

  it.each([
    ["return H;", ["2:1 sa-no-step"]],
    ["return H; do_step(f, t, H);", ["2:1 sa-no-step", "4:11 sa-unreachable"]],
    ["if false { do_step(f, t, H); } return H;", ["2:1 sa-no-step", "4:12 sa-unreachable"]],
    [
      "while true { break; do_step(f, t, H); } return H;",
      ["2:1 sa-no-step", "4:21 sa-unreachable"],
    ],
    ["for (var i in 0 .. 3) { do_step(f, t, H); } return H;", []],
    ["if f.on { return do_step(f, t, H); } else { return H; }", []],
    ["if f.on { return do_step(f, t, H); }", ["4:1 sa-return"]],
    ["while true { do_step(f, t, H); }", []],
    ["while true { do_step(f, t, H); if f.on { break; } }", ["4:1 sa-return"]],
    ["while f.on { return do_step(f, t, H); }", ["4:1 sa-return"]],
    ["break; return do_step(f, t, H);", ["4:1 sa-break"]],
    ["if f.on { break; } return do_step(f, t, H);", ["4:11 sa-break"]],
    ["while do_step(f, t, H) < H { } return H;", ["4:1 sa-step-in-condition"]],
  ])("[SA27] %s: %j", (text, expected) => {
    expect(control(text)).toEqual(expected);
  });

  it("[SA27] in and out rules return nothing and leave no loop", () => {
    expect(found("in rules { true -> { return 1; } --> { break; }; }")).toEqual([
      "3:22 sa-return-place",
      "3:40 sa-break",
    ]);
  });

  it("[SA28] only what can save its state is rolled back, and only what was saved", () => {
    const saved = `save_state(f); rollback(f); ${STEP}`;
    expect(control(saved)).toEqual([]);
    expect(found(`control rules { ${saved} }`, described("f: in u, out y"))).toEqual([
      "3:17 sa-rollback",
    ]);
    expect(found(`control rules { ${saved} }`, unknown)).toEqual([]);
    expect(control(`rollback(f); ${STEP}`)).toEqual(["4:1 sa-never-saved"]);
  });

  it("[SA29] inner units without order, no inner unit, and outputs without value are found", () => {
    expect(found("with f.y -> f.u", described("f: in u, out y"))).toEqual([]);
    expect(found("with f.y -> f.u", unknown)).toEqual(["1:1 sa-loop"]);
    expect(codes(checkSa(read(HEAD), unknown))).toEqual(["sa-no-inner"]);
    expect(found("output ports a, y")).toEqual(["3:14 sa-output-unset"]);
  });
});

describe("the table", () => {
  it("[SA22] has a rule and a fix for every code", () => {
    for (const [code, { rule }] of Object.entries(SA_RULES)) {
      expect(code).toMatch(/^sa-[a-z-]+$/);
      expect(rule).toMatch(/\.$/);
    }
  });
});
