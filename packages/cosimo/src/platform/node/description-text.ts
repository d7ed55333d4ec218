/**
 * The text of a modelDescription.xml, or of a file of a system structure, from its bytes. The
 * standards demand UTF-8; what tools write is another matter, so other encodings are read where the
 * file says which one it is, and reported. Bytes that are not valid UTF-8 become U+FFFD, which the
 * parser reports with its line.
 */
import { type Diagnostic, diagnose, type RulesFor, rulesFrom } from "../../base/diagnostic.ts";

export const ENCODING_DIAGNOSTICS: RulesFor<{
  "description-encoding": { readonly encoding: string };
}> = rulesFrom<{
  "description-encoding": { readonly encoding: string };
}>({
  "description-encoding": {
    severity: "warning",
    rule: "modelDescription.xml, and every file of a system structure, is encoded in UTF-8.",
    message: ({ encoding }) => `is encoded in ${encoding}; the standards demand UTF-8`,
    fix: "ask the exporter's supplier to write UTF-8; Cosimo reads it all the same, other tools may not",
  },
});

export interface DescriptionText {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Decodes `bytes`. The text's own declaration of another encoding is rewritten, as it is no longer
 * true.
 */
export function decodeDescription(bytes: Uint8Array, file: string): DescriptionText {
  const encoding = encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  if (encoding === "utf-8") return { text, diagnostics: [] };
  const place = { file, line: 1 };
  return {
    text: text.replace(DECLARED, "$1UTF-8$3"),
    diagnostics: [diagnose(ENCODING_DIAGNOSTICS, "description-encoding", { encoding }, place)],
  };
}

const DECLARED = /^(\s*<\?xml[^>]*?\bencoding\s*=\s*["'])([\w.-]+)(["'])/;
const LATIN1 = /^(iso-8859-1|latin-?1|windows-1252|cp1252)$/i;

/** By byte order mark or XML declaration; only encodings that every Node can decode. */
function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return "utf-16le";
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return "utf-16be";
  const head = Buffer.from(bytes.subarray(0, 200)).toString("latin1");
  return LATIN1.test(DECLARED.exec(head)?.[2] ?? "") ? "windows-1252" : "utf-8";
}
