import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { formatSa } from "./format-sa.ts";
import { parseSa } from "./parse-sa.ts";
import { printSa } from "./print-sa.ts";
import { bare, HEAD, read } from "./testing/bare.ts";
import { LISTINGS, listing } from "./testing/listings.ts";
import { randomAdaptation } from "./testing/random-adaptation.ts";

const RUNS = { seed: 20_250_811, numRuns: 100 };

const format = (text: string): string => unwrap(formatSa(text, "test.sa"));

describe("printing", () => {
  it("[SA9] what is printed is read as the same adaptation (seed 20250811)", () => {
    fc.assert(
      fc.property(randomAdaptation, (adaptation) => {
        expect(bare(unwrap(parseSa(printSa(adaptation), "x.sa")))).toEqual(bare(adaptation));
      }),
      RUNS,
    );
  });

  it("[SA9] the formatter leaves what is printed as it is (seed 20250811)", () => {
    fc.assert(
      fc.property(randomAdaptation, (adaptation) => {
        const printed = printSa(adaptation);
        expect(format(printed)).toBe(printed);
      }),
      RUNS,
    );
  });

  it("[SA9] sets brackets only where they are needed", () => {
    const text = `${HEAD}\nparam p := (not (a)) and ((b - (c - d)) < (-(-1) * (e / f)));\n`;
    expect(format(text)).toBe(`${HEAD}\nparam p := not a and b - (c - d) < -(-1) * (e / f);\n`);
  });
});

describe("discrete reals", () => {
  it("[SA60] are read and printed; the word stays free for names", () => {
    const text = `${HEAD}
input ports discrete: discrete real (N) -> f.u

output ports
  y:   discrete   real <- f.y,
  real: real
`;
    const { inputs, outputs } = read(text);
    expect(inputs?.[0]).toMatchObject({ name: "discrete", type: "real", isDiscrete: true });
    expect(outputs?.map(({ isDiscrete }) => isDiscrete)).toEqual([true, undefined]);
    const printed = format(text);
    expect(printed).toContain("y: discrete real <- f.y");
    expect(bare(read(printed))).toEqual(bare(read(text)));
  });
});

describe("formatting", () => {
  it.each(LISTINGS)("[SA10] says the same as %s, and a second time changes nothing", (name) => {
    const text = listing(name);
    const once = format(text);
    expect(bare(read(once))).toEqual(bare(read(text)));
    expect(format(once)).toBe(once);
    expect(Math.max(...once.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it("[SA10] writes sections in their order, a statement a line, numbers as they were", () => {
    expect(
      format(`${HEAD}out rules{true->{}->{a.y:=1e-05;b:=2;};} control rules{if c{return H;}else{if d{x:=0.50;}}
        return 1;} param p:=1 q:=2; output ports y (m) <- f.y, z input ports u v`),
    ).toBe(`${HEAD}
input ports u, v

output ports
  y (m) <- f.y,
  z

param
  p := 1,
  q := 2;

control rules {
  if (c) {
    return H;
  } else if (d) {
    x := 0.50;
  }
  return 1;
}

out rules {
  true -> {} --> {
    a.y := 1e-05;
    b := 2;
  };
}
`);
  });

  it("[SA11] comments stay with what they belong to, and blank lines between statements stay", () => {
    const text = `// File header

// about it
semantic adaptation reactive moore A a // the head

// what is inside
for inner fmu F f
  at "./f.fmu"
  with input ports
    u, // one
    // two
    v

/* several
   lines */
param
  p := 1, // first
  q := 2;

// what a step does
control rules { // begin
  // first
  var x := 1; // behind

  // apart
  if (x > 0) { // why
    x := 2;
    // at the end of the block
  } else {
    x := 3;
  }
  return x;
  // nothing follows
}

in rules {
  // a rule
  true -> {
    b := 1; /* so */
  } --> {};
}

// the end
`;
    expect(format(text)).toBe(text);
  });

  it("[SA11] no comment is lost, wherever it stands (seed 7)", () => {
    const tokens = format(listing("paper-3")).split(/(?<=[\s;,(){}])/);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(tokens.length), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (spots, line) => {
          const mark = (n: number) => (line ? ` // <${n}>\n` : ` /* <${n}> */ `);
          const text = tokens.map((token, at) => (spots.includes(at) ? mark(at) + token : token));
          const once = format(text.join(""));
          for (const spot of spots.filter((at) => at < tokens.length))
            expect(once.split(`<${spot}>`)).toHaveLength(2);
          expect(bare(read(once))).toEqual(bare(read(listing("paper-3"))));
          expect(format(once)).toBe(once);
        },
      ),
      { seed: 7, numRuns: 60 },
    );
  });

  it("[SA10] a text that cannot be read is reported and not touched", () => {
    const { value, diagnostics } = formatSa(`${HEAD}param p := ;`, "x.sa");
    expect(value).toBeUndefined();
    expect(diagnostics).toHaveLength(1);
  });
});
