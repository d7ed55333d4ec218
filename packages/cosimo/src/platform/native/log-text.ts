/**
 * FMUs name variables in their messages by value reference: `#r12#` in FMI 2, `#12#` in FMI 3, `##` for one `#`.
 * People get the names.
 */

export type ReferenceName = (family: string, reference: number) => string | undefined;

const FAMILY: Readonly<Record<string, string>> = {
  r: "Real",
  i: "Integer",
  b: "Boolean",
  s: "String",
};

export function namesInMessage(major: 2 | 3, message: string, nameOf: ReferenceName): string {
  if (!message.includes("#")) return message;
  const pattern = major === 2 ? /##|#([ribs])(\d+)#/g : /##|#()(\d+)#/g;
  return message.replace(pattern, (whole, family: string | undefined, digits: string) => {
    if (whole === "##") return "#";
    return nameOf(FAMILY[family ?? ""] ?? "", Number(digits)) ?? whole;
  });
}
