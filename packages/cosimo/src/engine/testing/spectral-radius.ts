/**
 * ρ(M) by repeated squaring: ‖M^(2^k)‖^(1/2^k) tends to it from above.
 */
const SQUARINGS = 40;

/** @param map n × n, row-major. */
export function spectralRadius(n: number, map: Float64Array): number {
  let m = Float64Array.from(map);
  let log = 0;
  for (let k = 0; k < SQUARINGS; k++) {
    const norm = m.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
    log += Math.log(norm) / 2 ** k;
    m = m.map((entry) => entry / norm);
    const square = new Float64Array(n * n);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++)
        for (let l = 0; l < n; l++) square[n * i + j]! += m[n * i + l]! * m[n * l + j]!;
    m = square;
  }
  return Math.exp(log);
}
