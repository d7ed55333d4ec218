/**
 * The page docs/reference/statistics.md, printed from the tables of statistics.
 */
import {
  BOND_STATISTICS,
  BOND_SUMS,
  MASTER_STATISTICS,
  REJECTION_REASONS,
  STATISTIC_OCCASIONS,
  SUMMARY_COUNTS,
} from "../../plan/statistics.ts";

export function statisticsPage(): string {
  const ofMasters = Object.entries(MASTER_STATISTICS).flatMap(([name, row]) => {
    const when = STATISTIC_OCCASIONS[row.when].text;
    const unit = "unit" in row ? row.unit : "";
    return [
      `| \`${name}\` | ${unit} | ${row.description} | ${when} |`,
      ...("ofUnit" in row ? [`| \`${name}.<unit>\` | | ${row.ofUnit} | ${when} |`] : []),
    ];
  });
  const reasons = REJECTION_REASONS.map((reason, k) => `${k + 1} ${reason}`).join(", ");
  return [
    "# Statistics of runs",
    "",
    "Columns of a trace that no port stands behind: what masters that decide at run time say about their steps, and what bonds do with energy.",
    "`record` may name them. This page is printed from the table in the code (`npm run reference`); a test holds the two together.",
    "",
    "| column | unit | what | when |",
    "|---|---|---|---|",
    ...ofMasters,
    ...Object.entries(BOND_STATISTICS).map(
      ([name, text]) => `| \`bond.<name>.${name}\` | | ${text} | with bonds |`,
    ),
    "",
    `Reasons of rejections: ${reasons}.`,
    "",
    "## Of a whole run",
    "",
    "The summary of a master that decides at run time (`master` in what `cosimo run --json` prints, and in the answer of the library) has `rejections` by reason, `notes`, and",
    "",
    "| number | what |",
    "|---|---|",
    ...Object.entries(SUMMARY_COUNTS).map(([name, text]) => `| \`${name}\` | ${text} |`),
    ...Object.entries(BOND_SUMS).map(
      ([name, text]) => `| \`bonds[].${name}\` | of each bond: ${text} |`,
    ),
    "",
  ].join("\n");
}
