/**
 * What the page shows and saves is what there is: files keep their form, runs and their curves are
 * those that were asked for, numbers are exact.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inForm, readForm } from "../src/document/file-form.ts";
import { Lab } from "./lab.ts";

const lab = new Lab();
const SLOW = "slow/scenario.yaml";

beforeAll(async () => {
  for (const name of ["Dahlquist", "VanDerPol"])
    lab.copy(`fixtures/build/fmi2/${name}.fmu`, `fmus/${name}.fmu`);
  lab.write(
    SLOW,
    "name: slow\nunits:\n  ball: ../fmus/Dahlquist.fmu\nexperiment: { stop: 1000000 s, step: 10 ms }\n",
  );
  await lab.start();
});

afterAll(() => lab.stop());

describe("files", () => {
  it("[PG12] keeps the byte order mark and the end of every line that an edit does not concern", async () => {
    const lines = ["\uFEFFname: windows", "units:", "  a: ../fmus/Dahlquist.fmu", ""];
    const text = [...lines.slice(0, 3), "experiment: { stop: 1 s, step: 0.1 s }", ""].join("\r\n");
    lab.write("form/crlf.yaml", text);
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("a").waitFor();
        const stop = page.getByRole("textbox", { name: "stop" });
        await stop.fill("2 s");
        await stop.press("Enter");
        await page.keyboard.press("Control+s");
        await studio.status(/saved/);
        expect(lab.read("form/crlf.yaml")).toBe(text.replace("stop: 1 s", "stop: 2 s"));
        await studio.button("Undo").click();
        await studio.button("Save").click();
        await expect.poll(() => lab.read("form/crlf.yaml")).toBe(text);
      },
      { open: "form/crlf.yaml" },
    );
  });

  it("[PG12] lines that end differently stay so, and new ones end like most", () => {
    const { text, form } = readForm("a\r\nb\nc\r\nd\r\n");
    expect(text).toBe("a\nb\nc\nd\n");
    expect(inForm(text, form)).toBe("a\r\nb\nc\r\nd\r\n");
    expect(inForm("a\nb\nnew\nc\nd\n", form)).toBe("a\r\nb\nnew\r\nc\r\nd\r\n");
    expect(inForm("a\nb\nc\nlast", form)).toBe("a\r\nb\nc\r\nlast");
    expect(inForm("", form)).toBe("");
  });

  it("[PG12] does not open what is not UTF-8", async () => {
    lab.write("form/latin.yaml", "");
    writeFileSync(join(lab.folder, "form/latin.yaml"), Buffer.from("units: {} # \xe9\n", "latin1"));
    await lab.open(
      async (studio) => {
        await studio.status(/'form\/latin.yaml' is not text in UTF-8/);
      },
      { open: "form/latin.yaml" },
    );
  });
});

describe("runs", () => {
  it("[PG13] a fault that is injected is seen: the run that goes on is the one that is shown", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("ball").waitFor();
        const texts = await studio.drawnTexts();
        await studio.button("▶ Run").click();
        await page.locator(".plot canvas").first().waitFor();
        // 1000000 s: labels without their zeros, and the title says so.
        await expect.poll(texts).toContain("[10⁶ s]");
        await studio.tab("Console").click();
        await page.getByRole("textbox", { name: "fault" }).fill("ball.x stuck 0 for 2 s");
        await studio.button("Inject").click();
        const shown = page.locator(".console select");
        await expect
          .poll(() => shown.evaluate((s: HTMLSelectElement) => s.selectedOptions[0]?.textContent))
          .toMatch(/^run 2:/);
        await page.locator(".run-state[data-state=running]").waitFor();
        await studio.button("■ Stop").click();
        await page.locator(".run-state[data-state=ended]").waitFor();
      },
      { open: SLOW },
    );
  });
});
