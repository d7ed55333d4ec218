import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { platformOf } from "../../fmi/archive-contents.ts";
import { makeZip } from "../../fmi/testing/zip-builder.ts";
import { decodeDescription } from "./description-text.ts";
import { openFmuFile } from "./fmu-file.ts";

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Größe" guid="g">
  <CoSimulation modelIdentifier="m"/>
  <ModelVariables>
    <ScalarVariable name="y" valueReference="0" causality="output"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="1"/></Outputs>
    <InitialUnknowns><Unknown index="1"/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>`;

const FILES: Record<string, string> = {
  "modelDescription.xml": XML,
  "model.png": "png",
  "binaries/linux64/m.so": "elf",
  "binaries/linux64/helper.so": "elf",
  "binaries/linux64/readme.txt": "text",
  "binaries/aarch64-darwin/m.dylib": "macho",
  "binaries/vendor/m.bin": "?",
  "documentation/index.html": "<html>",
  "documentation/licenses/license.txt": "MIT",
  "sources/m.c": "int x;",
  "resources/deep/data.txt": "data",
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "fmu-file-test-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function packed(files: Record<string, string | Uint8Array>): string {
  const path = join(root, "m.fmu");
  writeFileSync(path, makeZip(Object.entries(files).map(([name, data]) => ({ name, data }))));
  return path;
}

function unpacked(files: Record<string, string>): string {
  const path = join(root, "m");
  for (const [name, data] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), data);
  }
  return path;
}

const codesOf = (path: string) => openFmuFile(path).diagnostics.map((d) => d.code);

describe.each([
  ["an archive", () => packed(FILES)],
  ["a folder", () => unpacked(FILES)],
] as const)("an FMU from %s", (_, make) => {
  it("[AR9] is opened with description, files and platforms, and nothing is written", () => {
    const path = make();
    const before = readdirSync(root, { recursive: true });
    const { value, diagnostics } = openFmuFile(path);
    expect(diagnostics).toEqual([]);
    const fmu = value!;
    expect(fmu.description.modelName).toBe("Größe");
    expect(fmu.descriptionFile).toBe(`${path}/modelDescription.xml`);
    expect(fmu.contents.files).toEqual(Object.keys(FILES).sort());
    expect(fmu.contents.platforms).toEqual([
      {
        folder: "aarch64-darwin",
        platform: "aarch64-darwin",
        libraries: ["binaries/aarch64-darwin/m.dylib"],
      },
      {
        folder: "linux64",
        platform: "x86_64-linux",
        libraries: ["binaries/linux64/helper.so", "binaries/linux64/m.so"],
      },
      { folder: "vendor", libraries: [] },
    ]);
    expect(fmu.contents).toMatchObject({
      documentation: "documentation/index.html",
      licenses: ["documentation/licenses/license.txt"],
      icons: ["model.png"],
      sources: ["sources/m.c"],
      resources: ["resources/deep/data.txt"],
    });
    expect(readdirSync(root, { recursive: true })).toEqual(before);
  });

  it("[AR9] hands out single files, and says so when it has none of that name", () => {
    const fmu = openFmuFile(make()).value!;
    expect(Buffer.from(fmu.read("resources/deep/data.txt").value!).toString()).toBe("data");
    expect(fmu.readText("resources/deep/data.txt")).toBe("data");
    expect(fmu.readText("resources/other.txt")).toBeUndefined();
    const missing = fmu.read("resources/other.txt");
    expect(missing.value).toBeUndefined();
    expect(missing.diagnostics[0]!.message).toContain("resources/other.txt");
  });

  it("[AR10] has its files in a folder after extraction", async () => {
    const fmu = openFmuFile(make()).value!;
    const target = join(root, "out");
    const folder = (await fmu.extract(target)).value!;
    expect(folder).toBe(fmu.packed ? target : join(root, "m"));
    expect(readFileSync(join(folder, "resources/deep/data.txt"), "utf8")).toBe("data");
  });
});

describe("something that cannot be opened", () => {
  it("[AR9] is reported when it does not exist or is a folder without a description", () => {
    expect(codesOf(join(root, "nowhere.fmu"))).toEqual(["archive-unreadable"]);
    expect(codesOf(root)).toEqual(["archive-no-description"]);
  });

  it("[AR9] points at a description that lies in the wrong place", () => {
    const { diagnostics } = openFmuFile(packed({ "m/modelDescription.xml": XML, other: "" }));
    expect(diagnostics.map((d) => d.code)).toEqual(["archive-no-description"]);
    expect(diagnostics[0]!.message).toContain("m/modelDescription.xml");
  });

  it("[AR16] is opened all the same when its files were packed with the folder around them", async () => {
    const path = packed({ "m/modelDescription.xml": XML, "m/resources/a.txt": "data" });
    expect(codesOf(path)).toEqual(["archive-nested-root"]);
    const fmu = openFmuFile(path).value!;
    expect(fmu.contents.files).toEqual(["modelDescription.xml", "resources/a.txt"]);
    const folder = (await fmu.extract(join(root, "out"))).value!;
    expect(readFileSync(join(folder, "resources/a.txt"), "utf8")).toBe("data");
    expect(codesOf(packed({ "a/b/modelDescription.xml": XML }))).toEqual([
      "archive-no-description",
    ]);
  });

  it("[AR2] is reported when it is not an archive", () => {
    const path = join(root, "page.fmu");
    writeFileSync(path, XML);
    expect(codesOf(path)).toEqual(["archive-not-zip"]);
  });

  it("[AR9] refuses an archive that changed after it was opened", () => {
    const fmu = openFmuFile(packed(FILES)).value!;
    packed({ ...FILES, "resources/new.txt": "new" });
    const read = fmu.read("model.png");
    expect(read.diagnostics.map((d) => d.code)).toEqual(["archive-unreadable"]);
    expect(read.diagnostics[0]!.message).toContain("changed");
  });

  it("[AR9] counts links to files in an unpacked FMU as files, and no others", () => {
    const path = unpacked(FILES);
    symlinkSync(join(path, "model.png"), join(path, "resources/link.png"));
    symlinkSync(join(path, "nothing"), join(path, "resources/broken"));
    const { files } = openFmuFile(path).value!.contents;
    expect(files.filter((name) => !(name in FILES))).toEqual(["resources/link.png"]);
  });
});

describe("the encoding of a description", () => {
  const latin1 = XML.replace("UTF-8", "ISO-8859-1");
  it.each([
    ["UTF-8", Buffer.from(XML), []],
    ["UTF-8 with byte order mark", Buffer.from(`\ufeff${XML}`), []],
    ["Latin-1", Buffer.from(latin1, "latin1"), ["description-encoding"]],
    [
      "UTF-16",
      Buffer.from(`\ufeff${XML.replace("UTF-8", "UTF-16")}`, "utf16le"),
      ["description-encoding"],
    ],
    ["undeclared Latin-1", Buffer.from(XML, "latin1"), ["xml-replaced-characters"]],
  ])("[AR12] %s is read and reported as it deserves", (_, bytes, codes) => {
    const { value, diagnostics } = openFmuFile(packed({ "modelDescription.xml": bytes }));
    expect(diagnostics.map((d) => d.code)).toEqual(codes);
    if (!codes.includes("xml-replaced-characters"))
      expect(value!.description.modelName).toBe("Größe");
  });

  it.each([
    ["with a byte order mark, little-endian", [0xff, 0xfe], "utf-16le"],
    ["with a byte order mark, big-endian", [0xfe, 0xff], "utf-16be"],
    ["without one, little-endian", [], "utf-16le"],
    ["without one, big-endian", [], "utf-16be"],
  ])("[AR12] UTF-16 %s is recognised", (_, mark, encoding) => {
    const units = Buffer.from(XML.replace("UTF-8", "UTF-16"), "utf16le");
    const content = encoding === "utf-16be" ? units.swap16() : units;
    const { text, diagnostics } = decodeDescription(Buffer.from([...mark, ...content]), "m.xml");
    expect(text).toBe(XML);
    expect(diagnostics.map(({ message }) => message).join()).toContain(encoding);
  });

  it("[AR12] looks for the declaration in the first 200 bytes", () => {
    const declared = (bytes: number): Buffer => {
      const [before, after] = ["<?xml version='1.0'", "encoding='ISO-8859-1'"];
      const blanks = " ".repeat(bytes - before.length - after.length);
      return Buffer.from(`${before}${blanks}${after}?><x>\u00f6</x>`, "latin1");
    };
    expect(decodeDescription(declared(200), "m.xml").text).toContain("\u00f6");
    expect(decodeDescription(declared(201), "m.xml").text).not.toContain("\u00f6");
  });

  it("[AR12] keeps line numbers when it rewrites the declaration", () => {
    const { text } = decodeDescription(Buffer.from(latin1, "latin1"), "m.xml");
    expect(text).toBe(XML);
  });
});

it.each([
  ["win32", "x86-windows"],
  ["win64", "x86_64-windows"],
  ["linux32", "x86-linux"],
  ["darwin64", "x86_64-darwin"],
  ["aarch64-linux", "aarch64-linux"],
  ["x86_64-windows", "x86_64-windows"],
  ["x86_64-windows-msvc140mt", undefined],
  ["linux", undefined],
])("[AR9] the binary folder %s is the platform %s", (folder, platform) => {
  expect(platformOf(folder)).toBe(platform);
});

it("[AR15] a description that is too large is refused without being read", () => {
  const folder = mkdtempSync(join(tmpdir(), "cosimo-large-text-"));
  try {
    const path = join(folder, "modelDescription.xml");
    writeFileSync(path, XML);
    // All but the beginning is a hole, which takes no space on the disk.
    truncateSync(path, 300 * 1024 ** 2);
    const { value, diagnostics } = openFmuFile(folder);
    expect(value).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: "archive-text-too-large", severity: "error" }]);
    expect(diagnostics[0]!.message).toContain("'modelDescription.xml' has 314572800 bytes");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
