/**
 * Directional derivatives of units that know their Jacobian as a dense matrix over neighbouring
 * elements of the store.
 */

/**
 * The elements relative to the block [first, first + count), or undefined when one lies outside.
 */
export function placesIn(
  elements: readonly number[],
  first: number,
  count: number,
): readonly number[] | undefined {
  if (!elements.every((e) => e >= first && e < first + count)) return undefined;
  return elements.map((e) => e - first);
}

/**
 * How many elements of each sort lie in the store, one after the other; derivatives of the states
 * follow the outputs.
 */
export interface StateSpaceSizes {
  readonly parameters: number;
  readonly inputs: number;
  readonly states: number;
  readonly outputs: number;
}

/**
 * `out` = ∂unknowns/∂knowns · seed from `matrix` = [A B; C D], states then outputs × states then
 * inputs. False when an element is none of these: then the matrix does not say.
 */
export function stateSpaceProduct(
  { parameters, inputs, states, outputs }: StateSpaceSizes,
  matrix: Float64Array,
  unknowns: readonly number[],
  knowns: readonly number[],
  seed: Float64Array,
  out: Float64Array,
): boolean {
  // The store has inputs before states and outputs before derivatives; the matrix has them the
  // other way round.
  const columns = placesIn(knowns, parameters, inputs + states)?.map((i) =>
    i < inputs ? states + i : i - inputs,
  );
  const firstOutput = parameters + inputs + states;
  const rows = placesIn(unknowns, firstOutput, outputs + states)?.map((i) =>
    i < outputs ? states + i : i - outputs,
  );
  if (rows === undefined || columns === undefined) return false;
  denseProduct(matrix, states + inputs, rows, columns, seed, out);
  return true;
}

/** `out` = the chosen rows and columns of `matrix` (row-major, `width` columns) times `seed`. */
export function denseProduct(
  matrix: Float64Array,
  width: number,
  rows: readonly number[],
  columns: readonly number[],
  seed: Float64Array,
  out: Float64Array,
): void {
  rows.forEach((row, i) => {
    let sum = 0;
    columns.forEach((column, j) => {
      sum += matrix[row * width + column] * seed[j];
    });
    out[i] = sum;
  });
}
