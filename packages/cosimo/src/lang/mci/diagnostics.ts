/**
 * What can be wrong with an interface (.mci) by itself. What differs from the unit is found when
 * both are known (model/apply-interface.ts).
 */
import {
  type Diagnostic,
  diagnose,
  type Place,
  type RulesFor,
  rulesFrom,
  type Texts,
} from "../../base/diagnostic.ts";

interface MciParams {
  "mci-twice": { readonly what: string; readonly line: number };
  "mci-shape": Texts<"size">;
  "mci-initial": Texts<"value" | "type" | "how">;
  "mci-event": Texts<"event" | "port" | "needs" | "is">;
  "mci-property": Texts<"property" | "port" | "is">;
  "mci-unknown-reference": {
    readonly name: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  };
}

export const MCI_RULES: RulesFor<MciParams> = rulesFrom<MciParams>({
  "mci-twice": {
    rule: "An interface says everything once.",
    message: (p) => `${p.what} is already there in line ${p.line}`,
    fix: "remove one of them",
  },
  "mci-shape": {
    rule: "Sizes of arrays are whole numbers above 0.",
    message: (p) => `'${p.size}' cannot be the size of an array`,
    fix: "write whole numbers: type Real [2, 3]",
  },
  "mci-initial": {
    rule: "An initial value is a value of the type of its port.",
    message: (p) => `'${p.value}' is not a value of type ${p.type}`,
    fix: (p) => p.how,
  },
  "mci-event": {
    rule: "Outputs that are piecewise constant are Updated, inputs that are piecewise constant are ReadyToRead, and transient outputs are Triggered.",
    message: (p) => `'${p.event}' is an event of ${p.needs}, and '${p.port}' is ${p.is}`,
    fix: "remove the event, or correct direction and nature",
  },
  "mci-property": {
    rule: "Inputs that vary continuously are interpolated or extrapolated.",
    message: (p) => `'${p.property}' is said of '${p.port}', which is ${p.is}`,
    fix: "remove the property, or correct direction and nature",
  },
  "mci-unknown-reference": {
    rule: "Temporal references of ports are declared under temporalreferences.",
    message: (p) => `there is no temporal reference '${p.name}'`,
    fix: (p) =>
      p.nearest !== undefined
        ? `did you mean '${p.nearest}'?`
        : p.known.length > 0
          ? `there is ${p.known.join(", ")}`
          : `declare it: temporalreferences { ModelTemporalReference ${p.name} { reference time } }`,
  },
});

export function report<Code extends keyof MciParams & string>(
  code: Code,
  params: MciParams[Code],
  place: Place,
): Diagnostic {
  return diagnose<typeof MCI_RULES, Code>(MCI_RULES, code, params as never, place);
}
