/**
 * How a person begins: a new scenario, a master to choose, runs to tidy up.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Lab } from "./lab.ts";

const lab = new Lab();

beforeAll(async () => {
  lab.copy("fixtures/build/fmi2/Dahlquist.fmu", "fmus/Dahlquist.fmu");
  lab.write("blank.yaml", "");
  await lab.start();
});

afterAll(() => lab.stop());

describe("the folder", () => {
  it("[PG26] is listed by what its files are", async () => {
    const files: Readonly<Record<string, readonly string[]>> = {
      Scenarios: ["blank.yaml", "kinds/scenario.yaml"],
      FMUs: ["fmus/Dahlquist.fmu"],
      "Adaptations and machines": ["kinds/slow.sa", "kinds/over-heat.machine.yaml"],
      "Packages and specifications": ["kinds/drawn.ssd", "kinds/system.mcl"],
      "Interfaces, hints, studies": ["kinds/fan.mci", "kinds/best.hint", "kinds/gains.study.yaml"],
      Traces: ["kinds/measured.csv"],
    };
    for (const path of Object.values(files).flat())
      if (!path.endsWith(".fmu"))
        lab.write(path, path.endsWith("scenario.yaml") ? "units: {}\n" : "");
    await lab.open(async ({ page }) => {
      const group = (title: string) =>
        page.locator("nav[aria-label=files] details").filter({ hasText: title });
      for (const [title, paths] of Object.entries(files)) {
        const listed = group(title).locator("button.file");
        await expect
          .poll(() =>
            listed.evaluateAll((all) => all.map((one) => (one as HTMLElement).title).sort()),
          )
          .toEqual(paths.toSorted());
      }
    });
  });
});

describe("a new scenario", () => {
  it("[PG20] is made, gets a unit, runs, and its runs can be forgotten", async () => {
    await lab.open(async (studio) => {
      const { page } = studio;
      await studio.button("+ New scenario").click();
      await page.getByRole("textbox", { name: "name of the new scenario" }).fill("mine/first");
      await page.keyboard.press("Enter");
      await studio.file("mine/first.yaml").waitFor();
      await page.getByRole("button", { name: "add Dahlquist.fmu to the scenario" }).click();
      await studio.unit("dahlquist").waitFor();
      // What each master needs is known before it is chosen.
      await page.locator(".react-flow__pane").click({ position: { x: 5, y: 5 } });
      await page.getByText("what each master needs and costs").click();
      await expect
        .poll(() => page.locator(".masters .met, .masters .unmet").count())
        .toBeGreaterThan(4);
      await page.keyboard.press("Control+s");
      await studio.status(/saved/);
      await studio.run();
      await studio.run();
      await studio.tab("Console").click();
      await page.getByRole("button", { name: "Forget" }).click();
      const shown = page.locator(".console select option");
      await expect.poll(() => shown.allTextContents()).toEqual(["run 1: first"]);
    });
    expect(lab.read("mine/first.yaml")).toBe(
      "name: first\n\nunits:\n  dahlquist: ../fmus/Dahlquist.fmu\n\nexperiment: { stop: 1 s, step: 10 ms }\n",
    );
  });

  it("[PG20] an empty file is a scenario without units", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        const { x, y } = await studio.middleOf(".react-flow__pane");
        await studio.drag('button.file[title="fmus/Dahlquist.fmu"]', { x, y });
        await page.mouse.up();
        await studio.unit("dahlquist").waitFor();
        expect(await studio.text()).toBe("units:\n  dahlquist: fmus/Dahlquist.fmu\n");
      },
      { open: "blank.yaml" },
    );
  });
});
