/**
 * Everything that can be wrong with an FMU archive as a container, before its contents are read.
 *
 * FMUs come from others, so each way in which a zip file can lie has its own code: the reader of
 * the message must be able to distinguish a broken download from a hostile file.
 */

import {
  type Diagnostic,
  type DiagnosticRow,
  diagnose,
  type Place,
  type RulesFor,
  rulesFrom,
} from "../base/diagnostic.ts";

interface Entry {
  readonly entry: string;
}

/** Reported once per archive: where one entry is written so, most of them are. */
interface Spelling extends Entry {
  /** Further entries of which the same holds. */
  readonly more: number;
}

/** Descriptions, structures and parameter sets are read as a whole. */
export const MAX_TEXT_BYTES: number = 256 * 1024 ** 2;

/** What each code needs to know to make its sentence. */
export interface ArchiveParams {
  "archive-unreadable": { readonly reason: string };
  "archive-not-zip": { readonly looksLike: string };
  "archive-truncated": { readonly missing: string };
  "archive-trailing-data": { readonly bytes: number };
  "archive-directory-broken": { readonly reason: string };
  "archive-split": Record<never, never>;
  "archive-too-many-entries": { readonly count: number; readonly limit: number };
  "archive-too-large": { readonly bytes: number; readonly limit: number };
  "archive-total-ratio": { readonly ratio: number; readonly limit: number };
  "archive-empty-files": { readonly count: number; readonly limit: number };
  "archive-text-too-large": Entry & { readonly bytes: number };
  "archive-ratio": Entry & { readonly ratio: number; readonly limit: number };
  "archive-path-traversal": Entry;
  "archive-path-absolute": Entry;
  "archive-path-drive": Entry;
  "archive-path-backslash": Spelling;
  "archive-path-segment": Spelling;
  "archive-name-nul": Entry;
  "archive-name-encoding": Entry;
  "archive-link": Entry;
  "archive-device": Entry;
  "archive-duplicate": Entry;
  "archive-duplicate-equal": Spelling;
  "archive-nested-root": { readonly folder: string };
  "archive-case-collision": Entry & { readonly other: string };
  "archive-file-and-folder": Entry;
  "archive-folder-data": Entry;
  "archive-encrypted": Entry;
  "archive-method": Entry & { readonly method: string };
  "archive-overlap": Entry & { readonly other: string };
  "archive-header-mismatch": Entry & { readonly what: string };
  "archive-size-mismatch": Entry & { readonly declared: number };
  "archive-data-broken": Entry & { readonly reason: string };
  "archive-crc": Entry;
  "archive-unpack-failed": { readonly reason: string };
  "archive-no-description": { readonly elsewhere?: string };
}

export type ArchiveCode = keyof ArchiveParams;

const REPACK = "repack the FMU with an ordinary zip tool, or ask its supplier for a proper archive";
const REFETCH = "fetch the file again; if it stays like this, ask its supplier for a new export";
const DISTRUST =
  "do not use this file unless you know why it is like this; ask its supplier for a new export";

/** A rule about one entry whose message only needs the entry's name. */
function entryRule(rule: string, what: string, fix: string): DiagnosticRow<Entry> {
  return { rule, message: ({ entry }) => `entry '${entry}' ${what}`, fix };
}

/** What is tolerated, and what another tool may not tolerate. */
function spellingRule(rule: string, what: string): DiagnosticRow<Spelling> {
  const others = (more: number): string =>
    more === 0 ? "" : ` (and ${more} other ${more === 1 ? "entry" : "entries"})`;
  return {
    severity: "warning",
    rule,
    message: ({ entry, more }) => `entry '${entry}'${others(more)} ${what}`,
    fix: `nothing for Cosimo; for tools that refuse such archives, ${REPACK}`,
  };
}

/** Who unpacks an archive has inspected it: the folder is taken as it is. */
function overLimit(limit: string): string {
  return `if you trust this file, unpack it yourself and give the folder; programs can raise '${limit}'`;
}

export const ARCHIVE_DIAGNOSTICS: RulesFor<ArchiveParams> = rulesFrom<ArchiveParams>({
  "archive-unreadable": {
    rule: "An FMU is a file or a folder that can be read.",
    message: ({ reason }) => `cannot be read: ${reason}`,
    fix: "check the path and its permissions",
  },
  "archive-not-zip": {
    rule: "An FMU is a zip archive.",
    message: ({ looksLike }) => `is not a zip archive: it looks like ${looksLike}`,
    fix: "give a .fmu file or an unpacked FMU folder; if it was downloaded, check that the download gave the file itself",
  },
  "archive-truncated": {
    rule: "An archive is complete up to its end record.",
    message: ({ missing }) => `is cut off: ${missing}`,
    fix: REFETCH,
  },
  "archive-trailing-data": {
    rule: "Nothing follows the end record of an archive.",
    message: ({ bytes }) => `has ${bytes} byte(s) after the end of the archive`,
    fix: `${REFETCH}; or ${REPACK}`,
  },
  "archive-directory-broken": {
    rule: "The central directory lies right before the end record and holds as many entries as that says.",
    message: ({ reason }) => `has a broken table of contents: ${reason}`,
    fix: REFETCH,
  },
  "archive-split": {
    rule: "An FMU is one file, not a part of a split archive.",
    message: "is one part of an archive that was split over several files",
    fix: REPACK,
  },
  "archive-too-many-entries": {
    rule: "An archive holds at most as many entries as the limit allows.",
    message: ({ count, limit }) => `holds ${count} entries, the limit is ${limit}`,
    fix: overLimit("maxEntries"),
  },
  "archive-total-ratio": {
    rule: "An archive of more than 64 MiB is as a whole not compressed further than the limit allows.",
    message: ({ ratio, limit }) =>
      `unpacks to ${ratio} times its packed size, the limit is ${limit}`,
    fix: overLimit("maxRatio"),
  },
  "archive-empty-files": {
    rule: "An archive holds at most as many empty files as the limit allows.",
    message: ({ count, limit }) => `holds ${count} empty files, the limit is ${limit}`,
    fix: overLimit("maxEmptyFiles"),
  },
  "archive-text-too-large": {
    rule: `A text that is read into memory has at most ${MAX_TEXT_BYTES} bytes.`,
    message: ({ entry, bytes }) =>
      `'${entry}' has ${bytes} bytes, the limit for texts is ${MAX_TEXT_BYTES}`,
    fix: "export the model again with fewer variables or annotations",
  },
  "archive-too-large": {
    rule: "An archive unpacks to at most as many bytes as the limit allows.",
    message: ({ bytes, limit }) => `unpacks to ${bytes} bytes, the limit is ${limit}`,
    fix: overLimit("maxTotalBytes"),
  },
  "archive-ratio": {
    rule: "No large entry is compressed further than the limit allows: that is how zip bombs are made.",
    message: ({ entry, ratio, limit }) =>
      `entry '${entry}' unpacks to ${ratio} times its packed size, the limit is ${limit}`,
    fix: overLimit("maxRatio"),
  },
  "archive-path-traversal": entryRule(
    "No entry's path leaves the archive through '..'.",
    "has '..' in its path and would be written outside the target folder",
    DISTRUST,
  ),
  "archive-path-absolute": entryRule(
    "Every entry's path is relative.",
    "has an absolute path and would be written outside the target folder",
    DISTRUST,
  ),
  "archive-path-drive": entryRule(
    "No entry's path names a drive.",
    "has a drive letter in its path and would be written outside the target folder",
    DISTRUST,
  ),
  "archive-path-backslash": spellingRule(
    "Entries separate folders with '/'.",
    "has a backslash in its path, which is read as '/'",
  ),
  "archive-path-segment": spellingRule(
    "No part of an entry's path is empty or '.'.",
    "has an empty or '.' part in its path, which is left out",
  ),
  "archive-name-nul": entryRule(
    "No entry's name holds a NUL or another control character.",
    "has a NUL or another control character in its name",
    DISTRUST,
  ),
  "archive-name-encoding": entryRule(
    "A name that is marked as UTF-8 is UTF-8, and no name is empty.",
    "has an empty name or one that is not valid UTF-8",
    REPACK,
  ),
  "archive-link": entryRule(
    "An archive holds files and folders, no links.",
    "is a link; links can point outside the target folder",
    `${REPACK}, with the file itself in place of the link`,
  ),
  "archive-device": entryRule(
    "An archive holds files and folders, no devices, pipes or sockets.",
    "is a device, pipe or socket",
    DISTRUST,
  ),
  "archive-duplicate": entryRule(
    "No two entries have the same path.",
    "appears twice with different content; which one counts would depend on the tool",
    REPACK,
  ),
  "archive-duplicate-equal": spellingRule(
    "No entry is repeated, not even with the same content.",
    "appears again with the same content; the first one is used",
  ),
  "archive-case-collision": {
    severity: "warning",
    rule: "No two entries differ only in upper and lower case.",
    message: ({ entry, other }) =>
      `entries '${other}' and '${entry}' are one file on Windows and macOS`,
    fix: "rename one of them; on such a system this FMU is refused when it is unpacked",
  },
  "archive-file-and-folder": entryRule(
    "No entry is a file and a folder at once.",
    "is a file, but other entries lie inside it as if it were a folder",
    REPACK,
  ),
  "archive-folder-data": entryRule(
    "A folder entry has no content.",
    "is a folder but has content",
    DISTRUST,
  ),
  "archive-encrypted": entryRule(
    "No entry is encrypted.",
    "is encrypted",
    "unpack the archive with its password and give the folder, or ask the supplier for a plain FMU",
  ),
  "archive-method": {
    rule: "Entries are stored or deflated; FMI allows nothing else.",
    message: ({ entry, method }) =>
      `entry '${entry}' is compressed with ${method}; only 'stored' and 'deflate' are allowed in an FMU`,
    fix: REPACK,
  },
  "archive-overlap": {
    rule: "No two entries share bytes of the archive: that is how zip bombs are made.",
    message: ({ entry, other }) => `entries '${other}' and '${entry}' overlap in the archive`,
    fix: DISTRUST,
  },
  "archive-header-mismatch": {
    rule: "An entry's own header says what the table of contents says.",
    message: ({ entry, what }) =>
      `entry '${entry}': its own header and the table of contents disagree about ${what}`,
    fix: DISTRUST,
  },
  "archive-size-mismatch": {
    rule: "An entry unpacks to exactly the size it declares.",
    message: ({ entry, declared }) =>
      `entry '${entry}' does not unpack to the ${declared} bytes it declares`,
    fix: REFETCH,
  },
  "archive-data-broken": {
    rule: "An entry's packed data is valid.",
    message: ({ entry, reason }) => `entry '${entry}' cannot be unpacked: ${reason}`,
    fix: REFETCH,
  },
  "archive-crc": entryRule(
    "An entry's content has the checksum that the archive states.",
    "has another checksum than the archive states: its content was damaged",
    REFETCH,
  ),
  "archive-unpack-failed": {
    rule: "The target folder can take the archive: it has room, is writable, and nothing is in the way.",
    message: ({ reason }) => `cannot be unpacked: ${reason}`,
    fix: "check free space and permissions of the target folder, or choose another one (TMPDIR sets the temporary folder)",
  },
  "archive-nested-root": {
    severity: "warning",
    rule: "The files of an FMU or a package lie at the root of the archive.",
    message: ({ folder }) =>
      `everything lies in the folder '${folder}' of the archive, which is taken as its root`,
    fix: "pack the contents of the folder, not the folder itself: other tools refuse such archives",
  },
  "archive-no-description": {
    rule: "An FMU has a modelDescription.xml at its root.",
    message: ({ elsewhere }) =>
      `has no modelDescription.xml at its root${elsewhere === undefined ? "" : `, only '${elsewhere}'`}`,
    fix: ({ elsewhere }) =>
      elsewhere === undefined
        ? "check that this is an FMU (a .zip or .ssp file is something else)"
        : "pack the contents of the folder, not the folder itself, and mind upper and lower case",
  },
});

/**
 * Ends reading at once: past a lie about the container's structure nothing else in it can be
 * trusted.
 */
export class ArchiveFault extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.name = "ArchiveFault";
    this.diagnostic = diagnostic;
  }
}

/** The diagnostic `code` about the archive at `place`. */
export function archiveDiagnostic<Code extends ArchiveCode>(
  code: Code,
  params: ArchiveParams[Code],
  place: Place,
): Diagnostic {
  return diagnose(ARCHIVE_DIAGNOSTICS, code, params as never, place);
}

export function archiveFault<Code extends ArchiveCode>(
  code: Code,
  params: ArchiveParams[Code],
  place: Place,
): ArchiveFault {
  return new ArchiveFault(archiveDiagnostic(code, params, place));
}

/**
 * Why a text of an archive or a folder is not read: it would not fit into memory, or into a string.
 */
export function textTooLarge(entry: string, bytes: number, file: string): Diagnostic | undefined {
  if (bytes <= MAX_TEXT_BYTES) return undefined;
  return archiveDiagnostic("archive-text-too-large", { entry, bytes }, { file });
}
