/**
 * The table at the end, as the ones in bench/.
 */

/** @param results a class each: { name, planned, cases, violations: [{ rule, case }] } */
export function stressTable(results) {
  const lines = results.map(({ name, planned, cases, violations }) => {
    const bad = new Set(violations.map((violation) => violation.case)).size;
    const left = planned - cases > 0 ? ` (${planned - cases} not run)` : "";
    return `| ${name} | ${cases}${left} | ${cases - bad} | ${bad} | ${byRule(violations)} |`;
  });
  return ["| class | cases | ok | broken | by rule |", "|---|--:|--:|--:|---|", ...lines].join(
    "\n",
  );
}

function byRule(violations) {
  const counts = new Map();
  for (const { rule } of violations) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].map(([rule, count]) => `${rule} ${count}`).join(", ") || "–";
}
