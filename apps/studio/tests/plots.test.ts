/**
 * Numbers that are read off plots are exact, however long the recording; several recordings over
 * each other; signals made of others.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Lab, type StudioPage } from "./lab.ts";

const lab = new Lab();
const ROWS = 50_000;

/** Sines of so many periods that a picture shows their range alone. */
function sines(phase: number): string {
  const lines = ["time,s.x,s.n"];
  for (let i = 0; i < ROWS; i++)
    lines.push(`${i / 1000},${Math.sin(2000 * (i / 1000) + phase)},${i}`);
  return `${lines.join("\n")}\n`;
}

beforeAll(async () => {
  lab.copy("fixtures/build/fmi2/Dahlquist.fmu", "fmus/Dahlquist.fmu");
  lab.write(
    "decay.yaml",
    "units:\n  ball: fmus/Dahlquist.fmu\nexperiment: { stop: 1 s, step: 10 ms }\n",
  );
  lab.copy("examples/controller-bus", "examples/controller-bus");
  lab.write("first.csv", sines(0));
  lab.write("second.csv", sines(Math.PI / 2));
  lab.write("third.csv", sines(Math.PI));
  await lab.start();
});

afterAll(() => lab.stop());

function cursor({ page }: StudioPage, name: "A" | "B") {
  return page.getByRole("textbox", { name: `cursor ${name}` });
}

async function cells({ page }: StudioPage, signal: string): Promise<number[]> {
  const texts = await page.locator(`.instants tr[data-signal="${signal}"] td`).allTextContents();
  return texts.map((text) => (text === "" ? Number.NaN : Number(text.replace("−", "-"))));
}

describe("long recordings", () => {
  it("[PG14] cursors show what was recorded, row by row, and the interval between them", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await page.locator(".plot canvas").first().waitFor();
        await cursor(studio, "A").fill("12.345");
        await cursor(studio, "A").press("Enter");
        await page.getByRole("button", { name: "values" }).click();
        await expect.poll(() => cells(studio, "s.n")).toEqual([12345]);
        expect((await cells(studio, "s.x"))[0]).toBeCloseTo(Math.sin(24690), 7);
        await cursor(studio, "A").press("ArrowRight");
        await expect.poll(() => cells(studio, "s.n")).toEqual([12346]);
        await cursor(studio, "A").press("Shift+ArrowLeft");
        await expect.poll(() => cells(studio, "s.n")).toEqual([12336]);
        await cursor(studio, "B").fill("20");
        await cursor(studio, "B").press("Enter");
        await expect.poll(() => cells(studio, "s.n")).toEqual([12336, 20000, 7664]);
        expect(await page.locator(".interval").textContent()).toContain("7.664 s");
        // A click moves the one that was touched last.
        const over = await page.locator(".u-over").first().boundingBox();
        if (!over) throw new Error("there is no plot");
        await page.mouse.click(over.x + over.width / 2, over.y + 20);
        await expect
          .poll(async () => Math.round(((await cells(studio, "s.n"))[1] ?? 0) / 1e3))
          .toBe(25);
        // Under the pointer, too: the picture itself has nothing but -1 and 1.
        const time = Number(
          /[\d.]+/.exec((await page.locator(".readout").textContent()) ?? "")?.[0],
        );
        const legend = page.locator(".legend output").first();
        const shown = async (): Promise<number> =>
          Number((await legend.textContent())?.replace("−", "-").replace(/[^\d.e-]/g, ""));
        const truth = Math.sin(2000 * time);
        await expect.poll(async () => Math.abs((await shown()) - truth)).toBeLessThan(0.9);
      },
      { open: "first.csv" },
    );
  });

  it("[PG15] several are drawn over each other and subtracted row by row", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await page.locator(".plot canvas").first().waitFor();
        const choice = page.getByRole("combobox", { name: "compare with" });
        await choice.selectOption({ label: "second.csv" });
        await page.locator(".legend").getByText("s.x (second.csv)").waitFor();
        await choice.selectOption({ label: "third.csv" });
        await page.locator(".legend").getByText("s.x (third.csv)").waitFor();
        await page.getByRole("checkbox", { name: "difference" }).check();
        await page.locator(".legend").getByText("Δ s.x (third.csv)").waitFor();
        await page.getByRole("button", { name: "remove third.csv from the comparison" }).click();
        await page.locator(".legend").getByText("Δ s.x", { exact: true }).waitFor();
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "save what is shown as CSV" }).click(),
        ]);
        const { readFileSync } = await import("node:fs");
        const lines = readFileSync(await download.path(), "utf8")
          .trim()
          .split("\n");
        const column = (lines[0] ?? "").split(",").findIndex((name) => name.includes("s.x"));
        const values = lines.slice(1).map((line) => Math.abs(Number(line.split(",")[column])));
        expect(Math.max(...values.filter(Number.isFinite))).toBeCloseTo(Math.SQRT2, 3);
      },
      { open: "first.csv" },
    );
  });
});

describe("events", () => {
  it("[PG28] are tracks of their own, over the same time as the curves", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("bus").waitFor();
        await studio.run();
        const tracks = page.locator(".plot.lanes");
        await tracks.locator("canvas").first().waitFor();
        const entries = tracks.locator(".legend .entry:not(.awaited)");
        const names = (): Promise<string[]> => entries.allTextContents();
        await expect.poll(names).toContainEqual(expect.stringMatching(/^bus\.sent\.event/));
        await expect.poll(names).not.toContainEqual(expect.stringMatching(/^plant\./));
        const texts = await studio.drawnTexts();
        await tracks
          .getByRole("button", { name: /^show or hide|bus\.sent\.event/ })
          .first()
          .click();
        await expect.poll(texts).toContain("bus.sent.event");
        await expect.poll(texts).toContain("[s]");
      },
      { open: "examples/controller-bus/scenario.yaml" },
    );
  });
});

describe("signals made of others", () => {
  it("[PG16] are drawn beside those that were recorded, and mistakes are said", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("ball").waitFor();
        await studio.run();
        const formula = page.getByRole("textbox", { name: "formula" });
        await formula.fill("ball.y * 2");
        await formula.press("Enter");
        await studio.status(/'ball.y' was not recorded.*ball.x/);
        await formula.fill("ball.x * 60 / 6");
        await formula.press("Enter");
        await page.locator(".legend").getByText("= ball.x * 60 / 6").waitFor();
        await cursor(studio, "A").fill("0");
        await cursor(studio, "A").press("Enter");
        await page.getByRole("button", { name: "values" }).click();
        await expect.poll(() => cells(studio, "= ball.x * 60 / 6")).toEqual([10]);
        // It stays for the next run.
        await studio.run();
        await page.locator(".legend").getByText("= ball.x * 60 / 6").waitFor();
      },
      { open: "decay.yaml" },
    );
  });

  it("[PG17] the plots of a run come back after a trace was looked at", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("ball").waitFor();
        await studio.run();
        await page.locator(".legend").getByText("ball.x").first().waitFor();
        await studio.file("first.csv").click();
        await page.locator(".legend").getByText("s.x").first().waitFor();
        await studio.file("decay.yaml").click();
        await page.locator(".legend").getByText("ball.x").first().waitFor();
        await studio.file("first.csv").click();
        await page.locator(".legend").getByText("s.x").first().waitFor();
        const show = page.getByRole("combobox", { name: "show" });
        const names = await show.locator("option").allTextContents();
        await show.selectOption(names.findLast((name) => name.includes("decay")) ?? "");
        await page.locator(".legend").getByText("ball.x").first().waitFor();
      },
      { open: "decay.yaml" },
    );
  });
});
