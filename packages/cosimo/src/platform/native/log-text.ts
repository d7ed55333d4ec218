/**
 * FMUs name variables in their messages by value reference: `#r12#` in FMI 2, `#12#` in FMI 3, `##`
 * for one `#`. People get the names.
 */

export type ReferenceName = (family: string, reference: number) => string | undefined;

const FAMILY: Readonly<Record<string, string>> = {
  r: "Real",
  i: "Integer",
  b: "Boolean",
  s: "String",
};

/** @param pattern of a reference in a message, as the table of the version has it. */
export function namesInMessage(message: string, pattern: RegExp, nameOf: ReferenceName): string {
  if (!message.includes("#")) return message;
  return message.replace(pattern, (whole, family: string | undefined, digits: string) => {
    if (whole === "##") return "#";
    return nameOf(FAMILY[family ?? ""] ?? "", Number(digits)) ?? whole;
  });
}
