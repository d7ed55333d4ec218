/** Completion in the shells themselves: what they offer behind some words. */
import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./cosimo.ts";

const place = new Workplace();
const isThere = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

/** What is typed, and words that must and must not be offered. */
const TYPED: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["cosimo in", ["info", "init"], ["run"]],
  ["cosimo stability ", ["jsr", "spectral", "stabilize", "hybrid"], ["info"]],
  ["cosimo run x.fmu --ma", ["--master"], ["--step"]],
  ["cosimo run x.fmu --master ga", ["gauss-seidel"], ["jacobi"]],
  ["cosimo run x.fmu --events ", ["auto", "off"], ["--step"]],
  ["cosimo stability jsr x --max", ["--max-depth"], ["--master"]],
  ["cosimo study --res", ["--resume", "--restart"], ["--jobs"]],
  ["cosimo completion ", ["bash", "zsh", "fish"], ["--json"]],
  ["cosimo run only-o", ["only-one.fmu"], ["--out"]],
];

beforeAll(async () => {
  place.write("only-one.fmu", "");
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout, stderr } = await place.run("completion", shell);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    place.write(`complete.${shell}`, stdout);
  }
});

function sh(shell: string, ...args: readonly string[]): string {
  const env = { ...process.env, HOME: place.files };
  const done = spawnSync(shell, args, { cwd: place.files, encoding: "utf8", env, timeout: 20_000 });
  expect(done.stderr).toBe("");
  return done.stdout;
}

function offers(answer: string, wanted: readonly string[], unwanted: readonly string[]): void {
  const words = answer.split(/\s+/);
  for (const word of wanted) expect(words).toContain(word);
  for (const word of unwanted) expect(words).not.toContain(word);
}

const BASH = `
source complete.bash
read -r -a COMP_WORDS <<< "$1"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_cosimo
# What bash does itself where nothing is offered: complete -o default.
[[ \${#COMPREPLY[@]} == 0 ]] && COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
echo "\${COMPREPLY[@]}"
complete -p cosimo`;

/**
 * A terminal in which zsh is interactive: what is typed, Tab, Enter; `cosimo` shows what it would
 * have been given.
 */
const ZSH = String.raw`
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "autoload -Uz compinit; compinit -u -D; source complete.zsh; cosimo() { print -r -- \"RAN:\$*:\" }"
for line in "$@"; do zpty -w -n z "$line"$'\t'; zpty -w -n z $'\n'; done
zpty -w z "print FINI''SHED; exit"
while zpty -r z out; do print -r -- $out; [[ $out == *FINISHED* ]] && break; done`;

const ZSH_TYPED: Readonly<Record<string, string>> = {
  "cosimo stab": "stability",
  "cosimo stability js": "stability jsr",
  "cosimo run x.fmu --mast": "run x.fmu --master",
  "cosimo run x.fmu --master ga": "run x.fmu --master gauss-seidel",
  "cosimo run x.fmu --events of": "run x.fmu --events off",
  "cosimo completion fi": "completion fish",
  "cosimo run only-o": "run only-one.fmu",
};

describe.skipIf(!isThere("bash"))("bash", () => {
  it.each(TYPED)("[CL47] behind '%s'", (typed, wanted, unwanted) => {
    const answer = sh("bash", "--norc", "-c", BASH, "bash", typed);
    offers(answer, wanted, unwanted);
    expect(answer).toContain("-o default");
  });
});

describe.skipIf(!isThere("fish"))("fish", () => {
  it.each(TYPED)("[CL47] behind '%s'", (typed, wanted, unwanted) => {
    const script = `source complete.fish; complete -C '${typed}'`;
    const answer = sh("fish", "--no-config", "-c", script);
    offers(answer.replaceAll(/\t.*$/gm, ""), wanted, unwanted);
  });
});

describe.skipIf(!isThere("zsh"))("zsh", () => {
  it("[CL47] completes commands, options, their values and files", () => {
    const answer = sh("zsh", "-f", "-c", ZSH, "zsh", ...Object.keys(ZSH_TYPED));
    const given = [...answer.matchAll(/^RAN:(.*):/gm)].map((match) => match[1]);
    expect(given).toEqual(Object.values(ZSH_TYPED));
  });
});

describe("completion", () => {
  it("refuses a shell that it does not know", async () => {
    const { code, stderr } = await place.run("completion", "zhs");
    expect(code).toBe(2);
    expect(stderr).toContain("did you mean zsh?");
  });

  it("[CL47] every command and every option is in every script", async () => {
    const { commands } = JSON.parse((await place.run("completion", "bash", "--json")).stdout);
    for (const shell of ["bash", "zsh", "fish"]) {
      const script = place.read(`complete.${shell}`);
      for (const { words, options } of commands) {
        expect(script).toContain(words.at(-1));
        for (const { long } of options)
          expect(script).toContain(shell === "fish" ? `-l ${long}` : `--${long}`);
      }
    }
  });
});
