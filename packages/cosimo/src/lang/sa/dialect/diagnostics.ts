/**
 * What is said of texts in the dialect of the published tool, and of files that import others.
 */
import {
  type Diagnostic,
  diagnose,
  type Place,
  type RulesFor,
  rulesFrom,
} from "../../../base/diagnostic.ts";

interface DialectParams {
  "sa-dialect": { form: string; becomes: string; count: number };
  "sa-dialect-refused": { what: string; why: string; fix: string };
  "sa-import": { what: string; why: string; fix: string };
  "sa-file-none": { declared: readonly string[] };
  "sa-file-several": { file: string; names: readonly string[] };
  "sa-file-name": { name: string; names: readonly string[] };
}

export const DIALECT_RULES: RulesFor<DialectParams> = rulesFrom<DialectParams>({
  "sa-dialect": {
    severity: "note",
    rule: "What the published tool's dialect writes is read as what our notation writes.",
    message: ({ form, becomes, count }) =>
      `${form}${count > 1 ? ` (${count} times)` : ""} is read as ${becomes}`,
    fix: "'cosimo format' rewrites the file",
  },
  "sa-dialect-refused": {
    rule: "What is written in the published tool's dialect has a meaning here.",
    message: ({ what, why }) => `${what}: ${why}`,
    fix: ({ fix }) => fix,
  },
  "sa-import": {
    rule: "What is imported exists, can be read, and does not import the file that imports it.",
    message: ({ what, why }) => `'${what}' cannot be imported: ${why}`,
    fix: ({ fix }) => fix,
  },
  "sa-file-none": {
    rule: "A file that is used as a unit holds an adaptation.",
    message: "this file declares units and holds no adaptation",
    fix: ({ declared }) =>
      declared.length === 0
        ? "write one: semantic adaptation …"
        : `import it where ${declared.map((name) => `'${name}'`).join(", ")} are used`,
  },
  "sa-file-several": {
    rule: "Where a file holds several adaptations, it is said which one is meant.",
    message: ({ names }) => `this file holds ${names.length} adaptations`,
    fix: ({ file, names }) => `name one: ${names.map((name) => `${file}#${name}`).join(", ")}`,
  },
  "sa-file-name": {
    rule: "The adaptation that is named behind '#' is in the file.",
    message: ({ name }) => `there is no adaptation '${name}' in this file`,
    fix: ({ names }) => `it has ${names.join(", ")}`,
  },
});

export function reportDialect<Code extends keyof DialectParams>(
  code: Code,
  params: DialectParams[Code],
  place: Place,
): Diagnostic {
  return diagnose(DIALECT_RULES, code, params as never, place);
}

/**
 * What was translated and what was refused, of one adaptation: a note per form, at its first place.
 */
export class Translation {
  private readonly notes = new Map<string, { becomes: string; count: number; place: Place }>();
  private readonly refused: Diagnostic[] = [];

  note(form: string, becomes: string, place: Place): void {
    const known = this.notes.get(form);
    if (known === undefined) this.notes.set(form, { becomes, count: 1, place });
    else known.count++;
  }

  refuse(what: string, why: string, fix: string, place: Place): void {
    this.refused.push(reportDialect("sa-dialect-refused", { what, why, fix }, place));
  }

  add(diagnostic: Diagnostic): void {
    this.refused.push(diagnostic);
  }

  get diagnostics(): Diagnostic[] {
    const notes = [...this.notes].map(([form, { becomes, count, place }]) =>
      reportDialect("sa-dialect", { form, becomes, count }, place),
    );
    return [...this.refused, ...notes];
  }
}
