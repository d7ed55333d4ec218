/**
 * Random adaptations for property tests: two or three inner units with declared ports, bindings and
 * connections that exist, and rules that say anything the grammar allows about them.
 */
import fc from "fast-check";
import type { Place } from "../../../base/diagnostic.ts";
import type {
  Adaptation,
  AdaptationPort,
  Declaration,
  Expression,
  InnerUnit,
  Reference,
  Rule,
  Statement,
} from "../../../model/adaptation/data.ts";
import { makeConditional, makeIf } from "../build.ts";

const PLACE: Place = { file: "random.sa", line: 1, column: 1 };
const place = PLACE;

const UNITS = ["f", "g", "the third"];
const INPUTS = ["u", "v", "der(x)"];
const OUTPUTS = ["y", "z", "in"];
const OWN_INPUTS = ["u", "w", "boolean"];
const OWN_OUTPUTS = ["y", "out", "n"];
const VARIABLES = ["a", "b", "stored_f_y", "it's", "H_f"];

const optional = <T, Key extends string>(key: Key, value: fc.Arbitrary<T>) =>
  fc
    .option(value, { nil: undefined })
    .map((v) => (v === undefined ? {} : { [key]: v })) as fc.Arbitrary<Partial<Record<Key, T>>>;

const reference: fc.Arbitrary<Reference> = fc.oneof(
  fc.constantFrom(...VARIABLES, "t", "H", "u").map((name) => ({
    kind: "reference" as const,
    name,
    place,
  })),
  fc
    .tuple(fc.constantFrom(...UNITS, "sa"), fc.constantFrom(...INPUTS, ...OUTPUTS))
    .map(([unit, name]) => ({ kind: "reference" as const, unit, name, place })),
);

/** A port that is assigned has its unit: without one it is of the dialect, and gets it. */
const target = reference.filter(({ unit, name }) => unit !== undefined || name !== "u");

const number: fc.Arbitrary<Expression> = fc
  .oneof(fc.nat(100), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }))
  .map((value) => ({ kind: "number", value: Math.abs(value), place }));

export const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    number,
    fc.boolean().map((value): Expression => ({ kind: "boolean", value, place })),
    fc.string().map(
      (text): Expression => ({
        kind: "string",
        // What the language cannot write: a bare line break of another kind than \n, \r, \t.
        value: text.replace(/[\u2028\u2029\0\b\f\v]/g, ""),
        place,
      }),
    ),
    reference,
    fc
      .tuple(
        fc.constantFrom("min", "is_close", "sin"),
        fc.array(tie("expression"), { maxLength: 3 }),
      )
      .map(([callee, args]): Expression => ({ kind: "call", callee, arguments: args, place })),
    fc
      .tuple(fc.constantFrom("-" as const, "not" as const), tie("expression"))
      .map(([operator, operand]): Expression => ({ kind: "unary", operator, operand, place })),
    fc
      .tuple(
        fc.constantFrom(
          ...(["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or"] as const),
        ),
        tie("expression"),
        tie("expression"),
      )
      .map(
        ([operator, left, right]): Expression => ({
          kind: "binary",
          operator,
          left,
          right,
          place,
        }),
      ),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([c, a, b]) => makeConditional(c, a, b, place)),
  ),
}));

const type = fc.constantFrom(...(["real", "integer", "boolean", "string"] as const));
const variable = fc.constantFrom(...VARIABLES);

const { statements } = fc.letrec<{ statement: Statement; statements: Statement[] }>((tie) => ({
  statements: fc.array(tie("statement"), { maxLength: 3 }),
  statement: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc
      .tuple(target, expression)
      .map(([to, value]): Statement => ({ kind: "assign", target: to, value, place })),
    fc
      .tuple(variable, optional("type", type), expression)
      .map(([name, t, value]): Statement => ({ kind: "var", name, ...t, value, place })),
    fc.constant<Statement>({ kind: "break", place }),
    expression.map((value): Statement => ({ kind: "return", value, place })),
    fc.constantFrom(...UNITS).map(
      (unit): Statement => ({
        kind: "call",
        call: {
          kind: "call",
          callee: "do_step",
          arguments: [unit, "t", "H"].map((name) => ({ kind: "reference", name, place })),
          place,
        },
        place,
      }),
    ),
    fc
      .tuple(expression, tie("statements"), tie("statements"))
      .map(([condition, a, b]) => makeIf(condition, a, b, place)),
    fc.tuple(variable, expression, expression, tie("statements")).map(
      ([name, from, to, body]): Statement => ({
        kind: "for",
        variable: name,
        from,
        to,
        body,
        place,
      }),
    ),
    fc
      .tuple(expression, tie("statements"))
      .map(([condition, body]): Statement => ({ kind: "while", condition, body, place })),
  ),
}));

const rules: fc.Arbitrary<Rule[]> = fc.array(
  fc
    .tuple(expression, statements, statements)
    .map(([condition, first, second]) => ({ condition, first, second, place })),
  { maxLength: 2 },
);

const declarations = (names: readonly string[]): fc.Arbitrary<Declaration[]> =>
  fc
    .subarray([...names])
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((name) =>
          fc
            .tuple(optional("type", type), expression)
            .map(([t, value]) => ({ name, ...t, value, place })),
        ),
      ),
    );

/** Units of one kind, so that every binding converts. */
const unit = optional("unit", fc.constantFrom("m", "cm", "km", "in"));

function ports(
  names: readonly string[],
  bindTo: readonly string[] | undefined,
): fc.Arbitrary<AdaptationPort[]> {
  return fc.subarray([...names], { minLength: 1 }).chain((chosen) =>
    fc.tuple(
      ...chosen.map((name) => {
        const binding =
          bindTo === undefined
            ? fc.constant({})
            : optional(
                "binding",
                fc
                  .tuple(fc.constantFrom("f", "g"), fc.constantFrom(...bindTo))
                  .map(([u, port]) => ({ unit: u, port, place })),
              );
        return fc.tuple(unit, binding).map(([u, b]) => ({ name, ...u, ...b, place }));
      }),
    ),
  );
}

const inner = (name: string): fc.Arbitrary<InnerUnit> =>
  fc
    .tuple(
      ports(INPUTS, undefined),
      ports(OUTPUTS, undefined),
      optional("source", fc.constant('./a "b"\\c.fmu')),
    )
    .map(([inputs, outputs, source]) => ({
      type: "Inner",
      name,
      ...source,
      inputs,
      outputs,
      place,
    }));

export const randomAdaptation: fc.Arbitrary<Adaptation> = fc
  .record({
    head: fc.record({
      inputKind: fc.constantFrom("reactive" as const, "delayed" as const),
      outputKind: fc.constantFrom("mealy" as const, "moore" as const),
    }),
    target: optional("target", fc.constant("./out.fmu")),
    units: fc.subarray(UNITS, { minLength: 1 }).chain((names) => fc.tuple(...names.map(inner))),
    connect: fc.array(fc.tuple(fc.nat(8), fc.nat(8), fc.nat(8), fc.nat(8)), { maxLength: 3 }),
    inputs: optional("inputs", ports(OWN_INPUTS, INPUTS)),
    outputs: optional("outputs", ports(OWN_OUTPUTS, OUTPUTS)),
    parameters: declarations(["P", "INIT_SA_U"]),
    controlVariables: declarations(["a", "stored_g_y"]),
    control: optional("controlRules", statements),
    inVariables: declarations(["b", "stored_sa_u"]),
    inRules: rules,
    outVariables: declarations(["it's", "stored_f_y"]),
    outRules: rules,
  })
  .map(({ head, target, units, connect, inputs, outputs, control, ...rest }) => {
    const known = (names: readonly string[], u: string, list: "inputs" | "outputs") =>
      units.some(({ name, [list]: all }) => name === u && all!.some((p) => names.includes(p.name)));
    const bound = (list: "inputs" | "outputs", all: readonly AdaptationPort[]) =>
      all.map(({ binding, ...port }) =>
        binding !== undefined && known([binding.port], binding.unit, list)
          ? { ...port, binding }
          : port,
      );
    const taken = new Set<string>();
    const connections = connect.flatMap(([a, b, c, d]) => {
      const from = units[a % units.length]!;
      const to = units[b % units.length]!;
      const output = from.outputs![c % from.outputs!.length]!.name;
      const input = to.inputs![d % to.inputs!.length]!.name;
      // Upwards only, so that units can be put in order, and one source an input.
      if (units.indexOf(from) >= units.indexOf(to) || taken.has(`${to.name}.${input}`)) return [];
      taken.add(`${to.name}.${input}`);
      return [
        {
          from: { unit: from.name, port: output, place },
          to: { unit: to.name, port: input, place },
          place,
        },
      ];
    });
    return {
      type: "Random",
      name: "sa",
      ...head,
      ...target,
      inner: units,
      connections,
      ...(inputs.inputs === undefined ? {} : { inputs: bound("inputs", inputs.inputs) }),
      ...(outputs.outputs === undefined ? {} : { outputs: bound("outputs", outputs.outputs) }),
      ...control,
      ...rest,
      place,
    };
  });
