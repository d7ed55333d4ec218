import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listArchive } from "../../fmi/archive.ts";
import { makeZip, memorySource, type ZipItem } from "../../fmi/testing/zip-builder.ts";
import { extractArchive } from "./extract-archive.ts";
import { identityOf } from "./file-source.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "extract-test-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function archiveOf(items: readonly ZipItem[]) {
  const archive = join(root, "m.fmu");
  const bytes = makeZip(items);
  writeFileSync(archive, bytes);
  const { entries } = listArchive(memorySource(bytes), archive).value!;
  return { archive, identity: identityOf(statSync(archive)), entries, target: join(root, "out") };
}

const listed = (folder: string) => (readdirSync(folder, { recursive: true }) as string[]).sort();

describe("extraction", () => {
  it("[AR10] writes files and folders, large and small, with private modes", async () => {
    const large = new Uint8Array(3_000_000).map((_, i) => (i * i) % 251);
    const request = archiveOf([
      { name: "modelDescription.xml", data: "<a/>" },
      { name: "empty/" },
      { name: "resources/large.bin", data: large },
      { name: "resources/stored.bin", data: large, stored: true },
      { name: "resources/nothing" },
    ]);
    expect(await extractArchive(request)).toEqual({ value: request.target, diagnostics: [] });
    expect(listed(request.target)).toEqual([
      "empty",
      "modelDescription.xml",
      "resources",
      "resources/large.bin",
      "resources/nothing",
      "resources/stored.bin",
    ]);
    expect(readFileSync(join(request.target, "resources/large.bin")).equals(large)).toBe(true);
    expect(readFileSync(join(request.target, "resources/stored.bin")).equals(large)).toBe(true);
    const mode = (name: string) => statSync(join(request.target, name)).mode & 0o777;
    expect([mode("resources"), mode("modelDescription.xml")]).toEqual([0o700, 0o600]);
  });

  it.each([
    ["archive-crc", { crc32: 1 }],
    ["archive-size-mismatch", { size: 2 }],
    ["archive-size-mismatch", { size: 200 }],
  ] as const)("[AR10] leaves no half-written file behind: %s", async (code, lie) => {
    const request = archiveOf([
      { name: "good", data: "good" },
      { name: "bad", data: "content", lie },
    ]);
    const { value, diagnostics } = await extractArchive(request);
    expect(value).toBeUndefined();
    expect(diagnostics.map((d) => d.code)).toEqual([code]);
    expect(listed(request.target)).toEqual(["good"]);
  });

  it.each([0, 1, 2])("[AR10] stops at a bad entry, also at place %i of several", async (at) => {
    const good = ["a", "b", "c"].map((name): ZipItem => ({ name, data: name.repeat(50) }));
    const bad: ZipItem = { name: "bad", data: "content", lie: { crc32: 1 } };
    const request = archiveOf(good.toSpliced(at, 0, bad));
    const { value, diagnostics } = await extractArchive(request);
    expect(value).toBeUndefined();
    expect(diagnostics.map((d) => d.code)).toEqual(["archive-crc"]);
    expect(diagnostics[0]?.message).toContain("'bad'");
    expect(listed(request.target)).toEqual(["a", "b", "c"].slice(0, at));
  });

  it("[AR1] entries with 64-bit fields are extracted like others", async () => {
    const data = "0123456789".repeat(20);
    const fields = ["size", "compressedSize", "offset"] as const;
    const request = archiveOf([
      { name: "plain", data },
      ...fields.map((field): ZipItem => ({ name: field, data, zip64: [field] })),
      { name: "all", data, zip64: true },
    ]);
    expect((await extractArchive(request)).diagnostics).toEqual([]);
    for (const name of ["plain", ...fields, "all"])
      expect(readFileSync(join(request.target, name), "utf8"), name).toBe(data);
  });

  it("[AR10] reports broken packed data", async () => {
    const bad: ZipItem = {
      name: "bad",
      data: "\u0007\u0007\u0007",
      stored: true,
      lie: { method: 8, size: 9 },
    };
    const { diagnostics } = await extractArchive(archiveOf([bad]));
    expect(diagnostics.map((d) => d.code)).toEqual(["archive-data-broken"]);
  });

  it("[AR10] follows no link that is in the way, whether to a folder or to a file", async () => {
    const outside = join(root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "precious"), "precious");
    for (const link of ["resources", "file"]) {
      const request = archiveOf([
        { name: "resources/x", data: "x" },
        { name: "file", data: "x" },
      ]);
      rmSync(request.target, { recursive: true, force: true });
      mkdirSync(request.target);
      symlinkSync(
        link === "file" ? join(outside, "precious") : outside,
        join(request.target, link),
      );
      const { diagnostics } = await extractArchive(request);
      expect(diagnostics.map((d) => d.code)).toEqual(["archive-unpack-failed"]);
      expect(listed(outside)).toEqual(["precious"]);
      expect(readFileSync(join(outside, "precious"), "utf8")).toBe("precious");
    }
  });

  it("[AR10] refuses a target that is itself a link", async () => {
    const request = archiveOf([{ name: "x", data: "x" }]);
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), request.target);
    const { diagnostics } = await extractArchive(request);
    expect(diagnostics.map((d) => d.code)).toEqual(["archive-unpack-failed"]);
    expect(listed(join(root, "elsewhere"))).toEqual([]);
  });

  it("[AR10] overwrites nothing", async () => {
    const request = archiveOf([{ name: "x", data: "new" }]);
    mkdirSync(request.target);
    writeFileSync(join(request.target, "x"), "old");
    const { diagnostics } = await extractArchive(request);
    expect(diagnostics[0]!.message).toContain("EEXIST");
    expect(readFileSync(join(request.target, "x"), "utf8")).toBe("old");
  });

  it("[AR10] refuses an archive that changed since it was listed", async () => {
    const request = archiveOf([{ name: "x", data: "x" }]);
    writeFileSync(request.archive, makeZip([{ name: "y", data: "something else" }]));
    const { diagnostics } = await extractArchive(request);
    expect(diagnostics[0]!.message).toContain("changed");
  });

  it("[AR10] says why when the target cannot be a folder", async () => {
    const request = archiveOf([{ name: "x", data: "x" }]);
    writeFileSync(request.target, "a file");
    const { diagnostics } = await extractArchive(request);
    expect(diagnostics[0]!.code).toBe("archive-unpack-failed");
    expect(diagnostics[0]!.message).toContain(request.target);
  });
});
