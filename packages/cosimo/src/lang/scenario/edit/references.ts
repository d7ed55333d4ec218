/**
 * Where a scenario names its units: `motor.speed` in connections, formulas, requirements and
 * patterns, `motor` alone in orders, faults and structures.
 */
import { isMap, isPair, isScalar, type Scalar, visit } from "yaml";
import { pairOf, type YamlText } from "./yaml-text.ts";

/**
 * Keys of a scenario whose texts name units; under `units` are only their own names and sources.
 */
const NAMING = [
  "connections",
  "bonds",
  "constraints",
  "events",
  "limits",
  "faults",
  "structure",
  "requirements",
  "ports",
  "record",
  "master",
] as const;

function reference(name: string): RegExp {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(String.raw`(?<![\p{L}\p{N}_.-])${escaped}(?=\.[\p{L}_*?])`, "gu");
}

/** Texts that are a unit's name and not one of its ports. */
function alone(name: string, section: string): RegExp | undefined {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (section === "faults") return new RegExp(String.raw`^${escaped}(?=\s|$)`, "u");
  if (section === "structure" || section === "master") return new RegExp(`^${escaped}$`, "u");
  return undefined;
}

/** Whether anything in `item` is about the unit. */
export function mentions(item: unknown, unit: string): boolean {
  const port = reference(unit);
  const bare = alone(unit, "faults") as RegExp;
  let found = false;
  const look = (scalar: Scalar): void => {
    const text = String(scalar.value);
    if (text.search(port) >= 0) found = true;
  };
  if (isScalar(item)) {
    look(item);
    return found || bare.test(String(item.value));
  }
  if (isPair(item)) {
    // `ports: { speed: motor.speed }`.
    return mentions(item.value, unit);
  }
  if (isMap(item) && pairOf(item, "unit") !== undefined && item.get("unit") === unit) return true;
  visit(item as never, {
    Scalar: (key, scalar) => {
      if (key !== "key") look(scalar);
    },
  });
  return found;
}

/** Renames a unit everywhere in the text. */
export function renameUnit(yaml: YamlText, name: string, to: string): void {
  const own = pairOf(pairOf(yaml.root, "units")?.value, name);
  const [start, end] = yaml.range(own?.key);
  yaml.replace(start, end, to);
  for (const section of NAMING) {
    const value = pairOf(yaml.root, section)?.value;
    if (typeof value !== "object" || value === null) continue;
    const bare = alone(name, section);
    const inScalar = (scalar: Scalar, isName: boolean): void => {
      if (typeof scalar.value !== "string" || !scalar.range) return;
      const [from, until] = yaml.range(scalar);
      const written = yaml.text.slice(from, until);
      const found = [...written.matchAll(reference(name))];
      for (const { index } of found) yaml.replace(from + index, from + index + name.length, to);
      if (found.length > 0 || !isName) return;
      const quote = /^["']/.test(written) ? 1 : 0;
      if (bare?.test(scalar.value)) yaml.replace(from + quote, from + quote + name.length, to);
    };
    visit(value as never, {
      Scalar: (key, scalar, path) => {
        const pair = path.at(-1);
        const owner = isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : "";
        // The name of a master, of a fault or of a requirement is its own.
        const isOwnName = key === "value" && (owner === "name" || owner === "description");
        if (!isOwnName) inScalar(scalar, key !== "key");
      },
    });
  }
}
