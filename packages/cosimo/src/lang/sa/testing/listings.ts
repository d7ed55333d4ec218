/**
 * The six listings as paper and thesis print them, with only the line numbers removed, and the
 * slips of print and of text extraction that no grammar should accept. Everything else in them is
 * read as it stands.
 *
 *   paper   Gomes et al., "Semantic adaptation for FMI co-simulation with hierarchical simulators"
 *   thesis  Gomes, "Property preservation in co-simulation", section 7.5
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Slip {
  readonly printed: string;
  readonly meant: string;
  readonly why: string;
}

export const SLIPS: Readonly<Record<string, readonly Slip[]>> = {
  "paper-2": [
    {
      printed: "var H.window := do_step(window, t, H);\n  return H.window;",
      meant: "var H_window := do_step(window, t, H);\n  return H_window;",
      why: "an underscore read as a dot: the thesis prints H_window, and a local variable has no unit",
    },
  ],
  "paper-5": [
    {
      printed: "(t+H) >= tn)\n  ){",
      meant: "(t+H) >= tn\n  ){",
      why: "one bracket too many: the thesis prints none",
    },
    {
      printed: "return step_size;\n",
      meant: "return step_size;\n}\n",
      why: "the last line, which closes the control rules, is cut off",
    },
  ],
  "thesis-5": [
    {
      printed: "do_step(controller; t, step_to_be_done)",
      meant: "do_step(controller, t, step_to_be_done)",
      why: "a comma read as a semicolon: the paper prints a comma",
    },
  ],
};

export const LISTINGS: readonly string[] = ["paper", "thesis"].flatMap((source) =>
  [1, 2, 3, 4, 5, 6].map((number) => `${source}-${number}`),
);

export function printedListing(name: string): string {
  return readFileSync(join(import.meta.dirname, "listings", `${name}.sa`), "utf8");
}

/** The text that can be read. */
export function listing(name: string): string {
  let text = printedListing(name);
  for (const { printed, meant } of SLIPS[name] ?? []) {
    if (!text.includes(printed)) throw new Error(`${name} does not hold '${printed}'`);
    text = text.replace(printed, meant);
  }
  return text;
}
