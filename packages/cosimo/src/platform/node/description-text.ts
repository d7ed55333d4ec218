/**
 * The text of a modelDescription.xml from its bytes. The standards demand UTF-8; what tools write is another matter,
 * so other encodings are read where they are recognised, and reported.
 */
import { type Diagnostic, diagnose, type RulesFor } from "../../base/diagnostic.ts";

export const ENCODING_DIAGNOSTICS: RulesFor<{
  "description-encoding": { readonly encoding: string };
  "description-not-utf8": { readonly byte: number };
}> = {
  "description-encoding": {
    severity: "warning",
    rule: "modelDescription.xml is encoded in UTF-8.",
    text: ({ encoding }) => ({
      message: `is encoded in ${encoding}; the FMI standards demand UTF-8`,
      fix: "ask the exporter's supplier to write UTF-8; Cosimo reads it all the same, other tools may not",
    }),
  },
  "description-not-utf8": {
    severity: "error",
    rule: "modelDescription.xml is valid in the encoding it declares.",
    text: ({ byte }) => ({
      message: `byte 0x${byte.toString(16)} is no valid UTF-8 here, and no other encoding is declared`,
      fix: "save the file as UTF-8, or ask the exporter's supplier for a correct file",
    }),
  },
};

export interface DescriptionText {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Decodes `bytes`; invalid bytes become U+FFFD, and the first of them is reported with its line. */
export function decodeDescription(bytes: Uint8Array, file: string): DescriptionText {
  const encoding = encodingOf(bytes);
  if (encoding !== "utf-8") {
    const text = new TextDecoder(encoding).decode(bytes);
    const place = { file, line: 1 };
    const params = { encoding };
    return {
      text,
      diagnostics: [diagnose(ENCODING_DIAGNOSTICS, "description-encoding", params, place)],
    };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), diagnostics: [] };
  } catch {
    const text = new TextDecoder("utf-8").decode(bytes);
    const at = firstInvalid(bytes);
    const place = { file, line: lineAt(bytes, at) };
    const params = { byte: bytes[at] ?? 0 };
    return {
      text,
      diagnostics: [diagnose(ENCODING_DIAGNOSTICS, "description-not-utf8", params, place)],
    };
  }
}

/** By byte order mark or XML declaration; only encodings that every Node can decode. */
function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return "utf-16le";
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return "utf-16be";
  const head = Buffer.from(bytes.subarray(0, 200)).toString("latin1");
  const declared = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/.exec(head)?.[1];
  return /^(iso-8859-1|latin-?1|windows-1252|cp1252)$/i.test(declared ?? "")
    ? "windows-1252"
    : "utf-8";
}

/** The longest prefix that decodes ends where the first invalid byte is; found by halving. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (valid < invalid) {
    const middle = (valid + invalid + 1) >> 1;
    if (decodesAsPrefix(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle - 1;
  }
  return Math.min(valid, bytes.length - 1);
}

function decodesAsPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function lineAt(bytes: Uint8Array, end: number): number {
  let line = 1;
  for (let i = 0; i < end; i++) if (bytes[i] === 10) line++;
  return line;
}
