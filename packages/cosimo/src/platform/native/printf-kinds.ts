/**
 * Which arguments a printf format takes, in order. The fallback logger needs it to hand C varargs
 * on.
 */

export type PrintfKind = "int" | "long" | "double" | "pointer";

const SPEC = /%[-+ #0']*(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|q|j|z|t|L)?([a-zA-Z%])/g;

export function printfKinds(format: string): PrintfKind[] {
  const kinds: PrintfKind[] = [];
  for (const [, width, precision, size, conversion] of format.matchAll(SPEC)) {
    if (conversion === "%") continue;
    if (width === "*") kinds.push("int");
    if (precision === "*") kinds.push("int");
    kinds.push(kindOf(conversion, size));
  }
  return kinds;
}

function kindOf(conversion: string, size: string | undefined): PrintfKind {
  if ("eEfFgGaA".includes(conversion)) return "double";
  if ("spn".includes(conversion)) return "pointer";
  if (size === undefined || size === "h" || size === "hh") return "int";
  // On Windows `long` has 32 bits, and the place in memory is the same.
  return "long";
}
