/**
 * Everything that can be wrong with a table that is to be read, or with a choice of what to record.
 */
import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";

/** Parameters of every code's text. */
type RecordParams = {
  "csv-empty": Record<string, never>;
  "csv-no-header": { first: string };
  "csv-time-assumed": { first: string };
  "csv-duplicate-column": { name: string };
  "csv-cell-count": { expected: number; found: number; commaNames: boolean };
  "csv-not-a-number": { column: string; text: string };
  "csv-time-not-finite": { text: string };
  "csv-time-decreases": { time: number; previous: number };
  "csv-open-quote": Record<string, never>;
  "csv-many-mistakes": { shown: number };
  "csv-notes-unreadable": Record<string, never>;
  "parquet-unreadable": { reason: string };
  "parquet-no-time": { names: string };
  "parquet-time-order": { row: number };
  "parquet-column-skipped": { name: string; type: string };
  "record-no-match": { pattern: string; nearest: string | undefined };
  "record-nothing": { unit: string };
  "requirement-no-column": { signal: string; nearest: string | undefined };
};

/** One table for the zone: code → severity, rule, text. */
export const RECORD_DIAGNOSTICS: RulesFor<RecordParams> = rulesFrom<RecordParams>({
  "csv-empty": {
    rule: "A table has a header row with the names of its columns.",
    message: "the file has no header row, because it is empty",
    fix: "write a header row such as time,u and one row a time",
  },
  "csv-no-header": {
    rule: "The first row of a table holds names, not numbers.",
    message: ({ first }) =>
      `the first row holds numbers ('${first}'), so the columns have no names`,
    fix: "put a header row such as time,u above it",
  },
  "csv-time-assumed": {
    severity: "warning",
    rule: "One column is called time.",
    message: ({ first }) =>
      `no column is called 'time', so the first one ('${first}') is taken as the time in seconds`,
    fix: "call the time column 'time'",
  },
  "csv-duplicate-column": {
    rule: "Every column has a name of its own.",
    message: ({ name }) =>
      name === ""
        ? "a column has no name"
        : `two columns are called '${name}', so it is unclear which one counts`,
    fix: ({ name }) =>
      name === "" ? "name it in the header row or remove it" : "rename or remove one of them",
  },
  "csv-cell-count": {
    rule: "Every row has as many cells as the header.",
    message: ({ expected, found }) =>
      `the row has ${found} cells, but the header names ${expected} columns`,
    fix: ({ commaNames }) =>
      commaNames
        ? 'put names that contain a comma into double quotes: "A[2,1]"'
        : "add or remove cells so that every row matches the header",
  },
  "csv-not-a-number": {
    rule: "A cell of a numeric column is a number.",
    message: ({ column, text }) =>
      text === ""
        ? `the cell of '${column}' is empty, but the column holds numbers`
        : `'${text}' in column '${column}' is not a number`,
    fix: "write a number such as 0.5, 1e-3, NaN or Infinity",
  },
  "csv-time-not-finite": {
    rule: "Times are finite numbers.",
    message: ({ text }) => `the time '${text}' is not a finite number of seconds`,
    fix: "write a time such as 0.25, or remove the row",
  },
  "csv-time-decreases": {
    rule: "Times never decrease; two rows with the same time are an event.",
    message: ({ time, previous }) => `the time goes back from ${previous} to ${time}`,
    fix: "sort the rows by time; repeat a time only to say before and after an event",
  },
  "csv-open-quote": {
    rule: "A quoted cell ends with a double quote.",
    message: "a double quote opens here and is never closed",
    fix: 'close the cell with a double quote; write a quote inside a cell twice ("")',
  },
  "csv-many-mistakes": {
    severity: "note",
    rule: "Only the first mistakes of a table are listed.",
    message: ({ shown }) => `reading stopped after ${shown} mistakes`,
    fix: "correct these first; the rest of the file was not read",
  },
  "csv-notes-unreadable": {
    severity: "warning",
    rule: "The notes beside a CSV file are those that a run wrote.",
    message: "the notes beside the table cannot be read, so units, types and events are unknown",
    fix: "run the scenario again, or remove the file",
  },
  "parquet-unreadable": {
    rule: "A Parquet file is complete and holds flat columns.",
    message: ({ reason }) => `this is not a Parquet file that can be read: ${reason}`,
    fix: "check that the file was written to its end; a run that was killed leaves no footer",
  },
  "parquet-no-time": {
    rule: "A trace has a numeric column called time.",
    message: ({ names }) => `no numeric column is called 'time' (columns: ${names})`,
    fix: "rename the time column to 'time' and store it as double",
  },
  "parquet-time-order": {
    rule: "The times of a trace are numbers that never decrease.",
    message: ({ row }) => `the time of row ${row} is missing or before that of the row above`,
    fix: "sort the table by time and remove rows without one",
  },
  "parquet-column-skipped": {
    severity: "warning",
    rule: "A trace holds numbers, booleans, strings and bytes.",
    message: ({ name, type }) =>
      `column '${name}' is left out, because its type (${type}) is not a value of a trace`,
    fix: "store it as a number, boolean, string or byte array without missing values",
  },
  "record-no-match": {
    rule: "Every pattern of --record matches a variable.",
    message: ({ pattern }) => `'${pattern}' matches no variable`,
    fix: ({ nearest }) =>
      nearest === undefined
        ? "list the variables with 'cosimo info --variables'; * stands for any text, ? for one character"
        : `did you mean '${nearest}'?`,
  },
  "record-nothing": {
    severity: "warning",
    rule: "A run records something.",
    message: ({ unit }) =>
      `'${unit}' has neither outputs nor changing locals, so only the time is recorded`,
    fix: "choose variables with --record",
  },
  "requirement-no-column": {
    rule: "A run records the signals that its requirements name.",
    message: ({ signal }) => `the run has no '${signal}'`,
    fix: ({ nearest }) =>
      nearest === undefined
        ? "see which columns the run records ('cosimo run --json'), or choose another master"
        : `did you mean '${nearest}'?`,
  },
});
