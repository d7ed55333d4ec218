import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfFile } from "./testing/folders.ts";
import { writeWholeFile } from "./whole-file.ts";

const folder = folderOfFile("whole-file");
const at = (name: string): string => join(folder, name);
/** No process has it. */
const DEAD = 2 ** 22 + 1;

describe("a file that is written whole", () => {
  it("[CL26] replaces the one that was there, and leaves nothing beside it", () => {
    for (const content of ["first", Buffer.from("second")]) {
      writeWholeFile(at("plain.txt"), content);
      expect(readFileSync(at("plain.txt"), "utf8")).toBe(content.toString());
    }
    expect(readdirSync(folder)).toEqual(["plain.txt"]);
  });

  it("[CL26] takes nothing from the one that was there when it cannot be written", () => {
    writeFileSync(at("kept.txt"), "what was there");
    // Something is in the way where it would be written first.
    mkdirSync(at(`kept.txt.${process.pid}.part`));
    writeFileSync(at(`kept.txt.${process.pid}.part/file`), "");
    expect(() => writeWholeFile(at("kept.txt"), "new")).toThrow(/EISDIR/);
    expect(readFileSync(at("kept.txt"), "utf8")).toBe("what was there");
  });

  it("[CL26] keeps links and permissions", () => {
    mkdirSync(at("elsewhere"));
    writeFileSync(at("elsewhere/target.txt"), "before");
    chmodSync(at("elsewhere/target.txt"), 0o640);
    symlinkSync("elsewhere/target.txt", at("link.txt"));
    symlinkSync("link.txt", at("second.txt"));
    writeWholeFile(at("second.txt"), "behind two links");
    expect(lstatSync(at("link.txt")).isSymbolicLink()).toBe(true);
    expect(lstatSync(at("second.txt")).isSymbolicLink()).toBe(true);
    expect(readFileSync(at("elsewhere/target.txt"), "utf8")).toBe("behind two links");
    expect(statSync(at("elsewhere/target.txt")).mode & 0o777).toBe(0o640);
  });

  it("[CL26] makes the file that a link without one names", () => {
    symlinkSync("new.txt", at("dangling.txt"));
    writeWholeFile(at("dangling.txt"), "there", { mode: 0o600 });
    expect(readFileSync(at("new.txt"), "utf8")).toBe("there");
    expect(statSync(at("new.txt")).mode & 0o777).toBe(0o600);
  });

  it("[CL26] is written to a device, and not in its place", () => {
    symlinkSync("/dev/full", at("full.txt"));
    expect(() => writeWholeFile(at("full.txt"), "text")).toThrow(/ENOSPC/);
    expect(lstatSync(at("full.txt")).isSymbolicLink()).toBe(true);
  });

  it("[CL18] removes parts of commands that are gone, and no others", () => {
    const others = [`swept.txt.${process.ppid}.part`, "swept.txt.part", "swept.txt.1x.part"];
    for (const name of [...others, `swept.txt.${DEAD}.part`]) writeFileSync(at(name), "half");
    writeWholeFile(at("swept.txt"), "whole");
    expect(existsSync(at(`swept.txt.${DEAD}.part`))).toBe(false);
    for (const name of others) expect(existsSync(at(name))).toBe(true);
  });
});
