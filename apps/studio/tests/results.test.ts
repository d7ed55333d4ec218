/**
 * Running and understanding: control of runs, plots, texts of other languages, access without a
 * mouse.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Lab, type StudioPage } from "./lab.ts";

const lab = new Lab();
const SLOW = "slow/scenario.yaml";
const MASSES = "examples/coupled-masses/scenario.yaml";
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

beforeAll(async () => {
  lab.copy("examples/coupled-masses", "examples/coupled-masses");
  lab.copy("examples/power-window", "examples/power-window");
  for (const name of ["MassSpringDamperLeft", "MassSpringDamperRight"])
    for (const fmi of ["fmi2", "fmi3"])
      lab.copy(`fixtures/build/${fmi}/${name}.fmu`, `fixtures/build/${fmi}/${name}.fmu`);
  lab.copy("fixtures/build/fmi2/Dahlquist.fmu", "fixtures/build/fmi2/Dahlquist.fmu");
  lab.copy("fixtures/build/fmi2/Misbehaving.fmu", "fixtures/build/fmi2/Misbehaving.fmu");
  lab.write(
    SLOW,
    "name: slow\nunits:\n  ball: ../fixtures/build/fmi2/Dahlquist.fmu\nexperiment: { stop: 1000000 s, step: 10 ms }\n",
  );
  lab.copy("fixtures/build/fmi2/PowerWindowPower.fmu", "fixtures/build/fmi2/PowerWindowPower.fmu");
  await lab.start();
});

afterAll(() => lab.stop());

async function seriousFindings({ page }: StudioPage): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, "utf8"));
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself into the page
    const { violations } = await (globalThis as any).axe.run(document, {
      resultTypes: ["violations"],
    });
    return violations
      .filter(({ impact }: { impact: string }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map(
              ({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary.slice(0, 200)}`,
            )
            .join(" | ")}`,
      );
  });
}

describe("runs", () => {
  it("[PG7] pauses, steps, resumes and stops, and another page finds the run", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("ball").waitFor();
        await studio.button("▶ Run").click();
        await page.locator(".plot canvas").first().waitFor();
        await studio.button("Pause").click();
        await page.locator(".run-state[data-state=paused]").waitFor();
        const before = await page.locator(".run-state").textContent();
        await studio.button("Step").click();
        await expect.poll(() => page.locator(".run-state").textContent()).not.toBe(before);
        await lab.open(async (other) => {
          await other.page.locator(".run-state[data-state=paused]").waitFor();
          await other.page.locator(".plot canvas").first().waitFor();
        });
        await studio.button("Resume").click();
        await page.locator(".run-state[data-state=running]").waitFor();
        await studio.button("■ Stop").click();
        await page.locator(".run-state[data-state=ended]").waitFor();
        await studio.tab("Console").click();
        await page.getByRole("region", { name: "time per unit" }).waitFor();
        await expect
          .poll(() => page.locator(".console").textContent())
          .toMatch(/cancelled|stopped/);
      },
      { open: SLOW },
    );
  });
});

describe("a unit that fails", () => {
  it("[PG7] is marked where it failed, and what was recorded before stays", async () => {
    lab.write(
      "failing/scenario.yaml",
      "name: failing\nunits:\n  bad: { fmu: ../fixtures/build/fmi2/Misbehaving.fmu, set: { behaviour: error } }\nexperiment: { stop: 1 s, step: 100 ms }\n",
    );
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("bad").waitFor();
        await studio.run();
        await page.locator('.unit.failed[data-unit="bad"]').waitFor();
        await expect.poll(() => page.locator(".run-state").textContent()).toMatch(/fail/);
        await page.locator(".plot canvas").first().waitFor();
        // What the unit itself said, once.
        await studio.tab("Console").click();
        await expect
          .poll(() => page.locator(".log li").allTextContents())
          .toEqual([expect.stringMatching(/bad error .*failed as asked at t=0.4/)]);
      },
      { open: "failing/scenario.yaml" },
    );
  });
});

describe("plots", () => {
  it("[PG8] zoom together, show values, compare runs and save what is shown", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("left").waitFor();
        await studio.run();
        await studio.run();
        const over = await page.locator(".u-over").first().boundingBox();
        if (!over) throw new Error("there is no plot");
        await page.mouse.move(over.x + over.width * 0.3, over.y + 40);
        await expect.poll(() => page.locator(".readout").textContent()).toMatch(/^t = /);
        await expect.poll(() => page.locator(".legend output").first().textContent()).toMatch(/\d/);
        const csv = async (): Promise<string[]> => {
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: "save what is shown as CSV" }).click(),
          ]);
          return readFileSync(await download.path(), "utf8")
            .trim()
            .split("\n");
        };
        const whole = await csv();
        await page.mouse.move(over.x + over.width * 0.3, over.y + 40);
        await page.mouse.down();
        await page.mouse.move(over.x + over.width * 0.6, over.y + 50, { steps: 4 });
        await page.mouse.up();
        const times = (lines: string[]): number[] =>
          lines.slice(1).map((line) => Number(line.split(",")[0]));
        await expect
          .poll(async () => {
            const [first = 0] = times(await csv());
            return first > (times(whole)[0] ?? 0);
          })
          .toBe(true);
        await page.getByRole("button", { name: "show all of the time (0)" }).click();
        const choice = page.getByRole("combobox", { name: "compare with" });
        const names = await choice.locator("option").allTextContents();
        const first = names.find((name) => name.endsWith("coupled masses")) ?? "";
        await choice.selectOption({ label: first });
        await page
          .locator(".legend")
          .getByText(`(${first.split(":")[0]})`)
          .first()
          .waitFor();
        await page.getByRole("checkbox", { name: "difference" }).check();
        await page.getByText("Δ ").first().waitFor();
        const difference = await csv();
        // The same scenario twice: nothing differs.
        expect(
          difference.slice(1).every((line) =>
            line
              .split(",")
              .slice(1)
              .every((cell) => Number(cell) === 0 || cell === "NaN"),
          ),
        ).toBe(true);
        await page.getByRole("checkbox", { name: "difference" }).uncheck();
        for (const [format, begin] of [
          ["SVG", "<svg"],
          ["PNG", "PNG"],
        ] as const) {
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: `save what is shown as ${format}` }).click(),
          ]);
          expect(
            readFileSync(await download.path())
              .subarray(0, 8)
              .toString("latin1"),
          ).toContain(begin);
        }
        const texts = await studio.drawnTexts();
        await page.getByRole("checkbox", { name: "log" }).first().check();
        await expect.poll(texts).toContainEqual(expect.stringMatching(/^10[⁻⁰-⁹]+$/));
        // Axes say the units of measurement.
        for (const unit of ["[s]", "[m]"]) await expect.poll(texts).toContain(unit);
        // A signal of the graph goes into a plot by dragging.
        const entries = page.locator(".legend .entry").filter({ hasText: /^left\.x_1/ });
        await expect.poll(() => entries.count()).toBe(2);
        await page
          .locator(".plot")
          .first()
          .getByRole("button", { name: "remove left.x_1 from this plot" })
          .click();
        await expect.poll(() => entries.count()).toBe(0);
        const { x, y } = await studio.middleOf(".panels");
        await studio.drag('[data-unit="left"] .port.out .name >> nth=0', { x, y });
        await page.mouse.up();
        await expect.poll(() => entries.count()).toBe(2);
        const last = `run-${Number(/\d+/.exec(first)?.[0]) + 1}`;
        const save = page.getByRole("combobox", { name: "save all rows" });
        await save.selectOption({ label: "as CSV" });
        await studio.status(/saved.*csv/);
        await save.selectOption({ label: "as Parquet" });
        await studio.status(/saved.*parquet/);
        // Another one of the same run does not take its place.
        await save.selectOption({ label: "as CSV" });
        await studio.status(/saved.*-2\.csv/);
        await studio.file(`examples/coupled-masses/scenario-${last}.csv`).click();
        await page.getByRole("article", { name: /^trace/ }).waitFor();
      },
      { open: MASSES },
    );
  });
});

describe("a run of many rows", () => {
  it("[PG29] is drawn while it goes on, and the page goes on drawing", async () => {
    lab.write(
      "long.yaml",
      "units:\n  ball: fixtures/build/fmi2/Dahlquist.fmu\nexperiment: { stop: 20000 s, step: 10 ms }\n",
    );
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("ball").waitFor();
        await studio.button("▶ Run").click();
        await page.locator(".legend .entry:not(.awaited)").first().waitFor();
        const frames = await page.evaluate(async () => {
          const isGoing = (): boolean =>
            document.querySelector(".run-state[data-state=running]") !== null;
          const times: number[] = [];
          while (isGoing())
            times.push(await new Promise<number>((done) => requestAnimationFrame(done)));
          return times;
        });
        await studio.status(/completed at t=20000 · 2000001 rows/);
        const gaps = frames.slice(1).map((time, i) => time - (frames[i] ?? time));
        // Wanted are 60 per second; what is found is a page that waits for pictures.
        expect(gaps.toSorted((a, b) => a - b)[gaps.length >> 1]).toBeLessThan(300);
      },
      { open: "long.yaml" },
    );
  });
});

describe("texts of other languages", () => {
  it("[PG9] are edited with findings and completion from the language server", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await page.locator(".cm-content").click();
        await page.keyboard.press("Control+End");
        await page.keyboard.type("\n) nonsense");
        await page.locator(".cm-lint-marker-error").first().waitFor();
        await page.locator(".cm-line").filter({ hasText: "power.omega" }).click();
        await page.keyboard.press("End");
        await page.keyboard.press("Control+Space");
        await page.locator(".cm-tooltip-autocomplete").waitFor();
        await page.keyboard.press("Escape");
      },
      { open: "examples/power-window/power.sa" },
    );
  });
});

describe("without a mouse, without colours", () => {
  it.each(["light", "dark"] as const)(
    "[PG10] everything has a name, and axe finds nothing serious, %s",
    async (colorScheme) => {
      await lab.open(
        async (studio) => {
          const { page } = studio;
          await studio.unit("left").waitFor();
          expect(await seriousFindings(studio)).toEqual([]);
          await studio.run();
          await studio.unit("left").click();
          await page.locator(".plot canvas").first().waitFor();
          await studio.shoot(`studio-run-${colorScheme}`);
          expect(await seriousFindings(studio)).toEqual([]);
          for (const tab of ["Problems", "Console", "Explanation"]) {
            await studio.tab(tab).click();
            expect(await seriousFindings(studio)).toEqual([]);
          }
        },
        { open: MASSES, colorScheme },
      );
    },
  );

  it("[PG10] a scenario is opened, run and changed by keyboard alone", async () => {
    await lab.open(async (studio) => {
      const { page } = studio;
      await page.getByRole("searchbox", { name: "filter files by name" }).focus();
      await page.keyboard.type("coupled");
      // What there is to go through by Tab has arrived, and is what the filter leaves.
      await studio.file(MASSES).waitFor();
      await studio.file(SLOW).waitFor({ state: "detached" });
      // The button for a new scenario, the group, the file.
      const focused = page.locator(":focus");
      await page.keyboard.press("Tab");
      expect(await focused.textContent()).toBe("+ New scenario");
      await page.keyboard.press("Tab");
      expect(await focused.textContent()).toMatch(/^Scenarios/);
      await page.keyboard.press("Tab");
      expect(await focused.getAttribute("title")).toBe(MASSES);
      await page.keyboard.press("Enter");
      await studio.unit("left").waitFor();
      await page.keyboard.press("F5");
      await page.locator(".run-state[data-state=ended]").waitFor();
      await page.locator(".react-flow__node[data-id=left]").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "left", exact: true }).waitFor();
    });
  });
});
