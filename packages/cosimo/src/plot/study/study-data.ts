/**
 * What the report of a study is drawn from: columns by run, effects, failures. Plain numbers, so
 * that pages need nothing else.
 */

export interface StudyVariable {
  readonly name: string;
  readonly unit?: string;
  /** By run; NaN where a run has no such number. */
  readonly values: readonly number[];
  /** Of a list: what its numbers stand for. */
  readonly labels?: readonly string[];
  readonly isFactor: boolean;
}

export interface StudyEffect {
  readonly bins: readonly { readonly level: number; readonly mean: number }[];
  /** Part of the variance; NaN where nothing varies. */
  readonly explained: number;
}

/** An output, with the effect of every factor on it. */
export interface StudyOutput {
  readonly name: string;
  readonly effects: readonly StudyEffect[];
  readonly indices?: { readonly first: readonly number[]; readonly total: readonly number[] };
}

export interface StudyPageData {
  readonly title: string;
  /** Lines under the title. */
  readonly facts: readonly string[];
  readonly variables: readonly StudyVariable[];
  readonly outputs: readonly StudyOutput[];
  /** By run: its number, and the file of its trace where there is one. */
  readonly runs: readonly { readonly run: number; readonly trace?: string }[];
  readonly failures: readonly { readonly reason: string; readonly runs: readonly number[] }[];
  /** What a search found, line by line. */
  readonly found: readonly string[];
}
