/**
 * Proofs as JSON and back: an upper bound that was proved here can be checked there, without the
 * search and without trust in a file.
 */
import type { Proof } from "./jsr-proof.ts";
import type { Certificate } from "./quadratic-certificate.ts";

/** The proof with lists in place of typed arrays. Doubles survive JSON to the last bit. */
export function proofToJson(proof: Proof): unknown {
  const text = JSON.stringify(proof, (_key, value: unknown) =>
    value instanceof Float64Array ? Array.from(value) : value,
  );
  return JSON.parse(text);
}

/**
 * A proof from JSON; undefined when it is none. Whether it proves anything is for `verifyProof` to
 * say.
 */
export function proofFromJson(json: unknown): Proof | undefined {
  if (!isRecord(json)) return undefined;
  switch (json["kind"]) {
    case "quadratic":
      return quadraticFrom(json);
    case "tree": {
      const forms = arraysFrom(json["forms"]);
      const depth = countFrom(json["depth"]);
      return forms && depth !== undefined ? { kind: "tree", forms, depth } : undefined;
    }
    case "polytope": {
      const vertices = arraysFrom(json["vertices"]);
      return vertices && { kind: "polytope", vertices };
    }
    case "lifted": {
      const [shifts, squares] = [countFrom(json["shifts"]), countFrom(json["squares"])];
      const certificate = isRecord(json["certificate"]) && quadraticFrom(json["certificate"]);
      if (!certificate || shifts === undefined || squares === undefined) return undefined;
      // Lifts multiply: more than these are not a proof that was made here.
      if (shifts > MOST_LIFTS || squares > MOST_LIFTS) return undefined;
      return { kind: "lifted", shifts, squares, certificate };
    }
    case "scaled": {
      const [exponents] = arraysFrom([json["exponents"]]) ?? [];
      const proof = proofFromJson(json["proof"]);
      return exponents && proof && { kind: "scaled", exponents: Array.from(exponents), proof };
    }
    case "parts": {
      if (!Array.isArray(json["parts"])) return undefined;
      const parts = json["parts"].map(proofFromJson);
      return parts.every((part) => part !== undefined) ? { kind: "parts", parts } : undefined;
    }
    default:
      return undefined;
  }
}

const MOST_LIFTS = 3;
const MOST_DEPTH = 2000;

function quadraticFrom(json: Readonly<Record<string, unknown>>): Certificate | undefined {
  const forms = arraysFrom(json["forms"]);
  return forms && { kind: "quadratic", forms };
}

function arraysFrom(json: unknown): Float64Array[] | undefined {
  if (!Array.isArray(json)) return undefined;
  const arrays: Float64Array[] = [];
  for (const list of json) {
    if (!Array.isArray(list) || !list.every((x) => typeof x === "number")) return undefined;
    arrays.push(Float64Array.from(list));
  }
  return arrays;
}

function countFrom(json: unknown): number | undefined {
  const isCount = typeof json === "number" && Number.isInteger(json) && json >= 0;
  return isCount && json <= MOST_DEPTH ? json : undefined;
}

function isRecord(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
