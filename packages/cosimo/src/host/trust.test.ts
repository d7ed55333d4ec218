import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DiagnosticsError } from "../base/diagnostic.ts";
import {
  notTrusted,
  saveTrustedFolders,
  TRUST_ALL,
  trustedFolders,
  trustFile,
  trustOf,
  userTrust,
} from "./trust.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cosimo-trust-"));
  for (const folder of ["own", "own/deep", "own-not", "elsewhere"]) mkdirSync(join(root, folder));
  for (const file of [
    "own/a.mjs",
    "own/deep/b.mjs",
    "own-not/c.mjs",
    "elsewhere/d.mjs",
    "own/s.yaml",
  ])
    writeFileSync(join(root, file), "");
  writeFileSync(join(root, "elsewhere", "s.yaml"), "");
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

const path = (name: string): string => join(root, name);

/** Whether `module` is run where `from` names it and `folders` are trusted. */
function runs(module: string, folders: readonly string[], from = "own/s.yaml", unpacked?: string) {
  const unit = { name: "u", place: { file: path(from) } };
  const trust = trustOf(folders.map(path));
  return notTrusted(trust, path(module), unit, unpacked && path(unpacked)) === undefined;
}

describe("a module", () => {
  it("[TR4] is run where both it and the file that names it are in trusted folders", () => {
    expect(runs("own/a.mjs", [])).toBe(false);
    expect(runs("own/a.mjs", ["own"])).toBe(true);
    expect(runs("own/deep/b.mjs", ["own"])).toBe(true);
    expect(runs("elsewhere/d.mjs", ["own"])).toBe(false);
    expect(runs("elsewhere/d.mjs", ["own", "elsewhere"])).toBe(true);
    expect(runs("own/a.mjs", ["own"], "elsewhere/s.yaml")).toBe(false);
  });

  it("[TR3] folders whose names begin alike, or lie inside, are others", () => {
    expect(runs("own-not/c.mjs", ["own"])).toBe(false);
    expect(runs("own/a.mjs", ["own/deep"])).toBe(false);
  });

  it("[TR4] links make nothing trusted, and a trusted link is what it leads to", () => {
    symlinkSync(path("elsewhere/d.mjs"), path("own/link.mjs"));
    expect(runs("own/link.mjs", ["own"])).toBe(false);
    symlinkSync(path("own"), path("way"));
    expect(runs("own/a.mjs", ["way"])).toBe(true);
  });

  it("[TR5] what packages brought is never run for its folder", () => {
    expect(runs("own/deep/b.mjs", ["own"], "own/s.yaml", "own/deep")).toBe(false);
    expect(runs("own/a.mjs", ["own"], "own/s.yaml", "own/deep")).toBe(true);
  });

  it("[TR6] everything is run where everything is trusted, and what is missing reports itself", () => {
    const unit = { name: "u", place: { file: path("elsewhere/s.yaml") } };
    expect(notTrusted(TRUST_ALL, path("elsewhere/d.mjs"), unit)).toBeUndefined();
    expect(notTrusted(trustOf(true), path("elsewhere/d.mjs"), unit)).toBeUndefined();
    expect(notTrusted(trustOf(), path("elsewhere/missing.mjs"), unit)).toBeUndefined();
  });

  it("[TR1] the message names the folder to trust, or the package", () => {
    const unit = { name: "u", place: { file: path("own/s.yaml") } };
    const outside = notTrusted(trustOf(), path("own/deep/b.mjs"), unit);
    expect(outside?.fix).toContain(`cosimo trust ${path("own/deep")}'`);
    const packed = notTrusted(trustOf(), path("own/deep/b.mjs"), unit, path("own/deep"));
    expect(packed?.message).toContain("the module 'b.mjs' came with a package");
    // The file that names it is what is outside.
    const from = { name: "u", place: { file: path("elsewhere/s.yaml") } };
    const named = notTrusted(trustOf([path("own")]), path("own/a.mjs"), from);
    expect(named?.fix).toContain(path("elsewhere"));
  });
});

describe("the user's list", () => {
  it("[TR3] is kept as a whole, for the user alone", () => {
    const file = path("settings/cosimo/trusted.json");
    expect(trustedFolders(file)).toEqual([]);
    saveTrustedFolders(["/a", "/b"], file);
    expect(trustedFolders(file)).toEqual(["/a", "/b"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    saveTrustedFolders([], file);
    expect(trustedFolders(file)).toEqual([]);
  });

  it.each([
    ["{", "JSON"],
    ["null", "no list of texts"],
    ["[]", "no list of texts"],
    ['{ "folders": "/a" }', "no list of texts"],
    ['{ "folders": ["/a", 1, "/b"] }', "no list of texts"],
  ])("[TR3] %s is refused", (text, reason) => {
    const file = path("trusted.json");
    writeFileSync(file, text);
    expect(() => trustedFolders(file)).toThrow(DiagnosticsError);
    expect(() => trustedFolders(file)).toThrow(reason);
  });

  it("[TR3] one that cannot be read is refused, one below a file is none", () => {
    expect(() => trustedFolders(path("own"))).toThrow(DiagnosticsError);
    expect(trustedFolders(path("own/a.mjs/trusted.json"))).toEqual([]);
  });

  it("[TR3] is joined with COSIMO_TRUST; --trust needs neither", () => {
    vi.stubEnv("XDG_CONFIG_HOME", root);
    expect(trustFile()).toBe(path("cosimo/trusted.json"));
    saveTrustedFolders(["/listed"]);
    vi.stubEnv("COSIMO_TRUST", ["/one", "", "/two"].join(delimiter));
    expect(userTrust(false)).toEqual({ all: false, folders: ["/listed", "/one", "/two"] });
    writeFileSync(trustFile(), "{");
    expect(userTrust(true)).toEqual(TRUST_ALL);
    expect(() => userTrust(false)).toThrow(DiagnosticsError);
  });
});
