/**
 * Two masses whose solvers an adaptive master makes quick or careful; the text of the scenario ends
 * inside of `master`.
 */
export function steppedMasses(left: string, right: string, experiment: string): string {
  return `units: { left: ${left}, right: ${right} }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: ${experiment}
master:
  name: adaptive
  coupling: jacobi
  approximation: hold
  absolute: 1
  policies:
    quick: { set: { left.substeps: 1, right.substeps: 1 } }
    careful: { set: { left.substeps: 10, right.substeps: 10 } }
`;
}
