import { describe, expect, it } from "vitest";
import { type CommandSpec, helpText, parseCommandLine, UsageError } from "./command.ts";

const SPEC: CommandSpec = {
  name: "demo",
  summary: "Show how commands read their arguments.",
  usage: "cosimo demo <file> [options]",
  arguments: [{ name: "<file>", help: "a file" }],
  options: {
    "--stop <s>": "stop time",
    "--set <name=value>...": "set",
    "--variables [<pattern>]": "list",
    "-j, --json": "as JSON",
  },
  examples: {
    "cosimo demo a.fmu": "shows it",
  },
};
const parse = (line: string) =>
  parseCommandLine(
    SPEC,
    line.split(" ").filter((w) => w !== ""),
  );

describe("command line", () => {
  it("reads values, repeated options, switches and short names", () => {
    const args = parse("a.fmu --stop 3 --set a=1 --set b=-2 -j");
    expect(args.positionals).toEqual(["a.fmu"]);
    expect(args.number("stop")).toBe(3);
    expect(args.all("set")).toEqual(["a=1", "b=-2"]);
    expect(args.has("json")).toBe(true);
  });

  it.each([
    ["a.fmu --variables", "", "a.fmu"],
    ["--variables a.fmu", "", "a.fmu"],
    ["--json --variables a.fmu", "", "a.fmu"],
    ["a.fmu --variables x*", "x*", "a.fmu"],
    ["--variables x* a.fmu", "x*", "a.fmu"],
  ])("finds the optional value in '%s'", (line, value, file) => {
    const args = parse(line);
    expect(args.one("variables")).toBe(value);
    expect(args.positionals).toEqual([file]);
  });

  it.each([
    ["a.fmu --stp 3", /has no option --stp/, /did you mean --stop/],
    ["a.fmu --stop", /needs a value/, /--stop <s>/],
    ["a.fmu --json=yes", /takes no value/, /just --json/],
    ["a.fmu --stop 1 --stop 2", /given twice/, /keep one/],
    ["", /<file> is missing/, /usage: cosimo demo/],
    ["a.fmu b.fmu", /one argument too many/, /usage/],
  ])("[CL2] answers '%s' with what is wrong and the fix", (line, message, fix) => {
    try {
      parse(line);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      expect((error as UsageError).message).toMatch(message);
      expect((error as UsageError).fix).toMatch(fix);
    }
  });

  it("takes one of several words, the first unless another is given", () => {
    expect(parse("a.fmu").choice("variables", ["auto", "off"])).toBe("auto");
    expect(parse("a.fmu --stop off").choice("stop", ["auto", "off"])).toBe("off");
    const wrong = parse("a.fmu --stop of");
    expect(() => wrong.choice("stop", ["auto", "off"])).toThrow(/--stop is auto or off, not 'of'/);
  });

  it("wants numbers above 0 where only they make sense", () => {
    expect(parse("a.fmu --stop 2e-3").positive("stop")).toBe(0.002);
    expect(parse("a.fmu").positive("stop")).toBeUndefined();
    expect(() => parse("a.fmu --stop 0").positive("stop")).toThrow(/wants a positive number/);
    expect(() => parse("a.fmu --stop -1").positive("stop")).toThrow(/wants a positive number/);
  });

  it("refuses a description of an option that is none", () => {
    const spec = { ...SPEC, options: { "stop <s>": "stop time" } };
    expect(() => parseCommandLine(spec, ["a.fmu"])).toThrow(/'stop <s>' is not an option/);
  });

  it("wants numbers where numbers belong", () => {
    expect(() => parse("a.fmu --stop soon").number("stop")).toThrow(/wants a number, not 'soon'/);
  });

  it.each([
    ["5min", 300],
    ["0.5 h", 1800],
    ["10 ms", 0.01],
    ["2e-3", 0.002],
    ["-1 s", -1],
  ])("[CL40] takes the time '%s'", (text, seconds) => {
    expect(parseCommandLine(SPEC, ["a.fmu", "--stop", text]).number("stop")).toBe(seconds);
  });

  it.each([
    ["5 km", /wants a time, not '5 km'/],
    ["soon", /wants a number, not 'soon'/],
    ["", /wants a number, not ''/],
    ["1e999 s", /wants a time/],
  ])("[CL40] refuses the time '%s' with an example", (text, message) => {
    const args = parseCommandLine(SPEC, ["a.fmu", "--stop", text]);
    expect(() => args.number("stop")).toThrow(message);
  });

  it("[CL41] takes a hyphen for standard input and output", () => {
    const args = parseCommandLine(SPEC, ["-", "--stop", "-"]);
    expect([args.first, args.one("stop")]).toEqual(["-", "-"]);
    expect(parse("- --variables").one("variables")).toBe("");
  });

  it("prints help with every option and an example", () => {
    const text = helpText(SPEC);
    for (const [flags, help] of Object.entries(SPEC.options))
      expect(text).toMatch(
        new RegExp(`  ${flags.replace("...", "").replace(/[[\]]/g, ".")} +${help}\n`),
      );
    expect(text).toMatch(/--set <name=value> +set\n/);
    expect(text).toMatch(/-h, --help +show this help\n/);
    expect(text).toContain("cosimo demo a.fmu");
  });
});
