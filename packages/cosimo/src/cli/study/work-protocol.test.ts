/** What strangers say to a study, and to its workers. */
import { describe, expect, it } from "vitest";
import { packJson } from "../../platform/nats/json-body.ts";
import { Nonsense } from "../../remote/protocol.ts";
import {
  type Manifest,
  packFromNode,
  packManifest,
  packRun,
  takeFromNode,
  takeManifest,
  takeRun,
} from "./work-protocol.ts";

const sha256 = "0".repeat(64);
const manifest: Manifest = {
  study: "study.yaml",
  text: "scenario: a.yaml",
  scenario: "models/a.yaml",
  columns: 2,
  traces: false,
  files: [{ path: "models/left/resources/a b.txt", sha256, size: 3 }],
};

describe("messages of a study and its workers", () => {
  it("[SU18] numbers arrive as they were", () => {
    const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0.1 + 0.2];
    const row = { run: 3, point: values, outcome: "completed", values, seconds: 1e-9 };
    expect(takeFromNode(packFromNode({ kind: "row", row }))).toEqual({ kind: "row", row });
    expect(takeRun(packRun({ run: 3, point: values }))).toEqual({ run: 3, point: values });
    expect(takeManifest(packManifest(manifest))).toEqual(manifest);
  });

  it.each([
    "/etc/passwd",
    "../up.txt",
    "a/../../up.txt",
    "a//b",
    "./a",
    "a\\..\\b",
    "C:a",
    "a\u0000b",
    "",
    "a/",
    "a/..",
    "trailing. ",
  ])("[SU20] no file is placed at %j", (path) => {
    const bad = { ...manifest, files: [{ path, sha256, size: 3 }] };
    expect(() => takeManifest(packManifest(bad))).toThrow(Nonsense);
    expect(() => takeManifest(packManifest({ ...manifest, scenario: path }))).toThrow(Nonsense);
  });

  it("[SU20] what is not a manifest, run or row is nonsense", () => {
    const [file] = manifest.files;
    for (const bad of [
      { ...manifest, files: [{ ...file, sha256: "../x" }] },
      { ...manifest, files: [{ ...file, size: -1 }] },
      { ...manifest, files: [{ ...file, size: 1e15 }] },
      { ...manifest, files: [file, file] },
      { ...manifest, columns: "2" },
      [],
      null,
    ])
      expect(() => takeManifest(packJson(bad))).toThrow(Nonsense);
    for (const bad of ["{}", '{"run":-1,"point":[]}', '{"run":1,"point":["x"]}', "[", "null"]) {
      expect(() => takeRun(packJson(bad))).toThrow(Nonsense);
      expect(() => takeFromNode(packJson(bad))).toThrow(Nonsense);
    }
    expect(() => takeFromNode(packJson('{"kind":"row","row":{"run":1}}'))).toThrow(Nonsense);
    expect(() => takeFromNode(Uint8Array.of(7, 7))).toThrow(Nonsense);
  });
});
