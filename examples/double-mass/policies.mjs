/**
 * The two policies of the double mass as matrices: what one communication step of 0.1 s does to the positions and velocities of both
 * masses, from the equations alone. `node policies.mjs > policies.json`
 */
const H = 0.1;

/** Forward Euler in `steps` steps; inputs are held. */
export function step([x1, v1, x2, v2], steps) {
  const h = H / steps;
  const force = (x, v) => x - x1 + 0.1 * (v - v1);
  const F = force(x2, v2);
  let [a, va, b, vb] = [x1, v1, x2, v2];
  for (let k = 0; k < steps; k++) {
    [a, va] = [a + h * va, va + h * (-a - 0.1 * va + F)];
    [b, vb] = [b + h * vb, vb + h * (-b - force(b, vb))];
  }
  return [a, va, b, vb];
}

/** Columns are what becomes of the unit vectors. */
function matrix(steps) {
  const columns = [0, 1, 2, 3].map((j) =>
    step(
      [0, 1, 2, 3].map((i) => (i === j ? 1 : 0)),
      steps,
    ),
  );
  return [0, 1, 2, 3].map((i) => columns.map((column) => column[i]));
}

if (process.argv[1]?.endsWith("policies.mjs")) {
  const rows = (m) => m.map((row) => `      ${JSON.stringify(row)}`).join(",\n");
  console.log(`{
  "matrices": {
    "quick": [
${rows(matrix(1))}
    ],
    "careful": [
${rows(matrix(10))}
    ]
  }
}`);
}
