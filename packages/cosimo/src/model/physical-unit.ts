/**
 * Physical units as FMI and SSP define them: seven SI base dimensions and the radian as exponents,
 * with factor and offset to the base unit (`base = factor * value + offset`).
 */

/** Exponents of kg, m, s, A, K, mol, cd, rad, in this order. */
export type Dimension = readonly [number, number, number, number, number, number, number, number];

export interface PhysicalUnit {
  readonly name: string;
  /** Absent when the description names the unit without saying what it is. */
  readonly base?: {
    readonly dimension: Dimension;
    readonly factor: number;
    readonly offset: number;
  };
}

export const DIMENSIONLESS: Dimension = [0, 0, 0, 0, 0, 0, 0, 0];

export const BASE_UNITS = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"] as const;
