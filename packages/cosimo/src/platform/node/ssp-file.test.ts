import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packZip } from "../../ssp/pack-ssp.ts";
import { loadSspFile, saveSspFile } from "./ssp-file.ts";
import { folderOfEachTest } from "./testing/folders.ts";

const NS =
  'xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"';

function ssd(name: string, fmu = "resources/a.fmu"): string {
  return `<SystemStructureDescription ${NS} version="1.0" name="${name}"><System name="r"><Elements><Component name="a" source="${fmu}"/></Elements></System></SystemStructureDescription>`;
}

const LARGE_SET =
  '<ParameterBindings><ParameterBinding source="large.ssv"/></ParameterBindings></System>';

let folder = "";
folderOfEachTest("ssp-test", (path) => {
  folder = path;
});

function pack(files: Readonly<Record<string, string | Buffer>>): string {
  const path = join(folder, "system.ssp");
  const bytes = Object.entries(files).map(
    ([name, text]) => [name, Buffer.from(text as string)] as const,
  );
  writeFileSync(path, packZip(new Map(bytes)));
  return path;
}

describe("packages on disk", () => {
  it("[SS18] a package is unpacked where the caller says, and its draft points there", async () => {
    const path = pack({ "SystemStructure.ssd": ssd("one"), "resources/a.fmu": "FMU" });
    const target = join(folder, "out");
    const { value, diagnostics } = await loadSspFile(path, { target });
    expect(diagnostics).toEqual([]);
    expect(value).toMatchObject({ name: "one", file: join(target, "SystemStructure.ssd") });
    expect(value!.place.file).toBe(`${path}/SystemStructure.ssd`);
    expect(readFileSync(join(target, "resources/a.fmu"), "utf8")).toBe("FMU");
  });

  it.each(["Fast.ssd", "quick"])(
    "[SS18] the variant '%s' is found by file or by name",
    async (variant) => {
      const path = pack({ "SystemStructure.ssd": ssd("one"), "Fast.ssd": ssd("quick") });
      const { value } = await loadSspFile(path, { target: join(folder, "out"), variant });
      expect(value!.name).toBe("quick");
    },
  );

  it("[AR15] a structure or a parameter set that is too large is refused without being read", async () => {
    const path = join(folder, "large.ssd");
    writeFileSync(path, ssd("one").replace("</System>", LARGE_SET));
    const set = join(folder, "large.ssv");
    for (const file of [set, path]) {
      writeFileSync(file, file === set ? "" : readFileSync(path));
      truncateSync(file, 300 * 1024 ** 2);
      const { value, diagnostics } = await loadSspFile(path, { target: join(folder, "out") });
      expect(value).toBeUndefined();
      expect(diagnostics.map(({ code }) => code)).toContain("archive-text-too-large");
      expect(diagnostics.find(({ code }) => code === "archive-text-too-large")!.place.file).toBe(
        file,
      );
    }
  });

  it("[SS18] a variant may stand after the path", async () => {
    const path = pack({ "SystemStructure.ssd": ssd("one"), "Fast.ssd": ssd("quick") });
    const { value } = await loadSspFile(`${path}#Fast.ssd`, { target: join(folder, "out") });
    expect(value!.name).toBe("quick");
  });

  it("[SS18] an unknown variant and a package without structure are said", async () => {
    const path = pack({ "SystemStructure.ssd": ssd("one") });
    const target = join(folder, "out");
    const unknown = await loadSspFile(path, { target, variant: "Slow.ssd" });
    expect(unknown.diagnostics).toMatchObject([
      { code: "ssp-unknown-variant", fix: "choose one of SystemStructure.ssd" },
    ]);
    const nested = pack({ "system/SystemStructure.ssd": ssd("one"), "other.txt": "" });
    const missing = await loadSspFile(nested, { target: join(folder, "other") });
    expect(missing.diagnostics).toMatchObject([{ code: "ssp-no-structure" }]);
    expect(missing.value).toBeUndefined();
  });

  it("[AR16] a package whose files were packed with the folder around them is read", async () => {
    const nested = pack({ "system/SystemStructure.ssd": ssd("one") });
    const { value, diagnostics } = await loadSspFile(nested, { target: join(folder, "out") });
    expect(diagnostics.map(({ code }) => code)).toContain("archive-nested-root");
    expect(value).toMatchObject({
      name: "one",
      file: join(folder, "out", "SystemStructure.ssd"),
      shownAs: `${nested}/SystemStructure.ssd`,
    });
  });

  it("[AR12] files with a byte order mark or in Latin-1 are read", async () => {
    const latin = ssd("gr\u00f6\u00dfe").replace(
      /^(<\?xml.*?\?>)?/,
      '<?xml version="1.0" encoding="ISO-8859-1"?>',
    );
    const bytes = Buffer.from(latin, "latin1");
    const path = pack({ "SystemStructure.ssd": bytes, "Fast.ssd": `\uFEFF${ssd("quick")}` });
    const { value, diagnostics } = await loadSspFile(path, { target: join(folder, "a") });
    expect(value!.name).toBe("gr\u00f6\u00dfe");
    expect(diagnostics.map(({ code }) => code)).toContain("description-encoding");
    const marked = await loadSspFile(`${path}#Fast.ssd`, { target: join(folder, "b") });
    expect(marked.value!.name).toBe("quick");
  });

  it("[SS2] a file whose name no file can have is missing, and not the end of the command", async () => {
    const binding = `<ParameterBindings><ParameterBinding source="${"n".repeat(5000)}.ssv"/></ParameterBindings>`;
    const text = ssd("one").replace("</System>", `${binding}</System>`);
    const path = pack({ "SystemStructure.ssd": text, "resources/a.fmu": "FMU" });
    const { diagnostics } = await loadSspFile(path, { target: join(folder, "out") });
    expect(diagnostics.filter(({ severity }) => severity === "error").length).toBeGreaterThan(0);
  });

  it("[SS18] a .ssd is read where it lies", async () => {
    const path = join(folder, "x.ssd");
    writeFileSync(path, ssd("plain", "../a.fmu"));
    const { value, diagnostics } = await loadSspFile(path, { target: join(folder, "out") });
    expect(diagnostics).toEqual([]);
    expect(value!.file).toBe(path);
  });

  it("[SS21] what is saved can be loaded, and saving twice gives the same bytes", async () => {
    writeFileSync(join(folder, "a.fmu"), "FMU");
    const files = new Map<string, string | { copyOf: string }>([
      ["SystemStructure.ssd", ssd("one")],
      ["resources/a.fmu", { copyOf: "a.fmu" }],
    ]);
    const save = (name: string) => {
      saveSspFile(join(folder, name), { files }, folder);
      return readFileSync(join(folder, name));
    };
    expect(save("x.ssp").equals(save("y.ssp"))).toBe(true);
    const target = join(folder, "out");
    expect((await loadSspFile(join(folder, "x.ssp"), { target })).diagnostics).toEqual([]);
    expect(readFileSync(join(target, "resources/a.fmu"), "utf8")).toBe("FMU");
  });
});
