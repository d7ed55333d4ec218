import { describe, expect, it } from "vitest";
import { HEAD } from "../testing/bare.ts";
import { hoverAt } from "./hover.ts";
import { outlineOf } from "./outline.ts";
import { signatureAt } from "./signature.ts";
import { atCursor, innerUnits } from "./testing/cursor.ts";

const F = `for inner fmu F f at "f.fmu"\n`;
const INNER = innerUnits("f: in u (rad), in go: boolean, out y (cm), out n: integer; rollback");

function hover(text: string): string {
  const { document, offset } = atCursor(text);
  return hoverAt(document, INNER, offset)?.markdown ?? "";
}

const control = (text: string): string =>
  `${HEAD}${F}control var c := 0;\ncontrol rules { ${text} return do_step(f, t, H); }`;

describe("what is said of a name", () => {
  it("[LS13] a port of an inner unit: direction, type, unit, kind and why", () => {
    const text = hover(control("c := f.‸y;"));
    expect(text).toContain("**f.y**: output of an inner unit, real (cm)");
    expect(text).toContain("Moore: it depends on no input at the same instant.");
    expect(hover(control("f.‸u := 1;"))).toContain("input of an inner unit, real (rad)");
    expect(hover(control("f.‸u := 1;"))).toContain("undeclared: ");
  });

  it("[LS13] an own port: what it is bound to, and the conversion", () => {
    const text = hover(`${HEAD}${F}output ports ‸height (m) <- f.y`);
    expect(text).toContain("**height**: output of this adaptation, real (m), moore");
    expect(text).toContain("← f.y");
    expect(text).toContain("Converted: 1 cm = 0.01 m.");
    expect(hover(`${HEAD}${F}input ports ‸u`)).toContain("→ f.u");
    expect(hover(`${HEAD}${F}input ports ‸u`)).toContain("real (rad), reactive");
  });

  it("[LS13] a variable: type and storage, as the checks find them", () => {
    expect(hover(control("‸c := 1;"))).toContain(
      "**c**: real, variable, assigned by control rules",
    );
    expect(hover(control("var ‸b := f.y > 1;"))).toContain("**b**: boolean, local variable");
    expect(hover(control("var b := f.y > 1; var ‸d := not b;"))).toContain("**d**: boolean");
    expect(hover(control("for (var ‸i in 0 .. 3) {}"))).toContain("**i**: integer, local variable");
    const text = hover(`${HEAD}${F}param P: integer := 3, Q := ‸P;`);
    expect(text).toContain("**P**: integer, parameter; scenarios can set it");
    expect(text).toContain("P := 3");
  });

  it("[LS13] functions and time", () => {
    expect(hover(control("c := ‸atan2(1, 2);"))).toContain("atan2(y, x) → real");
    expect(hover(control("‸save_state(f);"))).toContain("In control rules only.");
    expect(hover(control("c := ‸H;"))).toContain("**H**: real (s)");
  });

  it("[LS13] an inner unit: its model, and what it can do", () => {
    const text = hover(control("c := ‸f.y;"));
    expect(text).toContain("**f**: inner unit from `f.fmu`");
    expect(text).toContain("2 inputs, 2 outputs");
    expect(text).toContain("can save its state");
    expect(hover(`${HEAD}for inner fmu G ‸g at "g.fmu"`)).toContain("Nothing is known of it");
  });

  it("[LS13] a physical unit", () => {
    expect(hover(`${HEAD}${F}input ports v (‸km/h)`)).toMatch(/^1 km\/h = 0\.27777\d* m\/s$/);
    expect(hover(`${HEAD}${F}input ports v (‸N.m)`)).toBe("**N.m** = kg.m2/s2");
    expect(hover(`${HEAD}${F}input ports v (‸furlong)`)).toContain("this unit is not defined");
  });

  it("[LS13] says nothing where there is nothing to say", () => {
    expect(hover(`${HEAD}${F}‸`)).toBe("");
    expect(hover(control("c := ‸ 1;"))).toBe("");
  });
});

describe("signatures", () => {
  const signature = (text: string): string | undefined => {
    const { document, offset } = atCursor(text);
    const found = signatureAt(document.text, offset);
    return found && `${found.label} @${found.parameters[found.active]}`;
  };

  it("[LS24] the call that the cursor is in, and the argument", () => {
    expect(signature(control("c := pow(‸"))).toBe("pow(x, y) → real @x");
    expect(signature(control("c := pow(min(1, 2), ‸"))).toBe("pow(x, y) → real @y");
    expect(signature(control("c := pow(min(1, 2‸"))).toBe("min(x, y, …) → number @y");
    expect(signature(control("c := do_step(f, (1 + ‸t"))).toBe(
      "do_step(unit, time, step) → real @time",
    );
    expect(signature(control("c := pow(1, 2);‸"))).toBeUndefined();
    expect(signature(control("if (‸"))).toBeUndefined();
  });
});

describe("the outline", () => {
  it("[LS25] lists what an adaptation consists of, in order", () => {
    const { document } = atCursor(
      `${HEAD}${F}input ports i\nparam P := 1;\nin var v := 2;\nin rules { true -> {} --> {}; }‸`,
    );
    const [root] = outlineOf(document);
    expect(root!.name).toBe("a");
    expect(root!.children.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      "unit f",
      "port i",
      "parameter P",
      "variable v",
      "rules in rules",
    ]);
  });
});
