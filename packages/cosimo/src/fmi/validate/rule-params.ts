/**
 * Parameters that many validation rules share.
 */

/** What a rule about one named item needs. */
export interface Named {
  readonly name: string;
}

/** What a rule about a reference to something that is not there needs. */
export interface Dangling extends Named {
  readonly missing: string;
  readonly nearest: string | undefined;
}
