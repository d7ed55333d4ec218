/**
 * What a person does with the studio, in a real browser, on real files, with the real server.
 * Rules: docs/spec/studio-page.md.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Lab } from "./lab.ts";

const lab = new Lab();
const WINDOW = "window/scenario.yaml";

const WINDOW_TEXT = `name: power window
# What the supplier sent, connected as it is.

units:
  environment: ../fmus/PowerWindowEnvironment.fmu
  controller: ../fmus/PowerWindowController.fmu
  power: ../fmus/PowerWindowPower.fmu
  window: ../fmus/PowerWindowWindow.fmu # moves in cm

connections:
  - environment.* -> controller.*
  - controller.up -> power.u # both drive the motor
  - controller.down -> power.d
  - power.theta -> window.displacement
  - power.omega -> window.speed

experiment: { stop: 3 s, step: 20 ms } # short
master: jacobi
`;

beforeAll(async () => {
  for (const name of ["Environment", "Controller", "Power", "Window", "Obstacle"])
    lab.copy(`fixtures/build/fmi2/PowerWindow${name}.fmu`, `fmus/PowerWindow${name}.fmu`);
  for (const name of [
    "PowerWindowEnvironment",
    "PowerWindowController",
    "PowerWindowPower",
    "PowerWindowWindow",
    "PowerWindowObstacle",
  ])
    lab.copy(`fixtures/build/fmi2/${name}.fmu`, `fixtures/build/fmi2/${name}.fmu`);
  for (const name of ["power-window", "nested", "drive-line", "controller-bus", "coupled-masses"])
    lab.copy(`examples/${name}`, `examples/${name}`);
  lab.write(WINDOW, WINDOW_TEXT);
  await lab.start();
});

afterAll(() => lab.stop());

describe("the studio's page", () => {
  it("[PG1] goes from the folder to a running power window with live plots in three clicks", async () => {
    await lab.open(async (studio) => {
      const { page } = studio;
      await studio.file("examples/power-window/adapted.yaml").click();
      await studio.unit("window").waitFor();
      await studio.shoot("studio-graph");
      await studio.button("▶ Run").click();
      await page.locator(".plot canvas").first().waitFor();
      await page.locator('[data-value="power.speed"]').waitFor();
      await page.locator(".run-state[data-state=ended]").waitFor();
      await studio.status(/completed at t=5/);
      await expect.poll(() => page.locator(".plot").count()).toBe(5);
      await studio.shoot("studio-power-window");
    });
  });

  it("[PG2] shows an FMU with its ports and what validation finds", async () => {
    await lab.open(async (studio) => {
      await studio.file("fmus/PowerWindowPower.fmu").click();
      const fmu = studio.page.locator("article.fmu");
      await fmu.waitFor();
      await expect.poll(() => fmu.textContent()).toMatch(/FMI 2\.0[\s\S]*omega/);
      await expect.poll(() => fmu.textContent()).toMatch(/Validation/);
    });
  });

  it("[PG3] shows events, opens nested scenarios, and keeps boxes where they are", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("bus").waitFor();
        await expect.poll(() => page.locator(".wire.event").count()).toBe(3);
        await studio.file("examples/nested/scenario.yaml").click();
        await studio.unit("load").waitFor();
        await page.getByRole("button", { name: "look into load" }).click();
        await page.getByRole("navigation", { name: "nested scenarios" }).waitFor();
        await studio.unit("shaft").waitFor();
        await page.getByRole("button", { name: "nested drive line" }).click();
        await studio.unit("motor").waitFor();
        const layout = "examples/nested/scenario.layout.json";
        const places = (): Record<string, { x: number; y: number }> =>
          existsSync(join(lab.folder, layout)) ? JSON.parse(lab.read(layout)).units : {};
        // What was only looked at leaves nothing behind; moved by hand, it is found there again.
        expect(places()).toEqual({});
        const where = (): Promise<string | null> =>
          page.locator(".react-flow__node[data-id=driver]").getAttribute("style");
        const driver = await where();
        const box = await page.locator(".react-flow__node[data-id=motor]").boundingBox();
        if (!box) throw new Error("the motor is not drawn");
        await studio.drag('[data-unit="motor"] header', { x: box.x + 60, y: box.y + 120 });
        await page.mouse.up();
        await expect.poll(() => Object.keys(places())).toContain("motor");
        expect(await where()).toBe(driver);
        const moved = places()["motor"];
        await page.locator(".react-flow__node[data-id=motor]").focus();
        await page.keyboard.press("Enter");
        for (let n = 0; n < 4; n++) await page.keyboard.press("ArrowDown");
        await expect.poll(() => places()["motor"]?.y).toBeGreaterThan(moved?.y ?? 0);
        await studio.button("Undo").click();
        await expect.poll(() => places()["motor"]).toEqual(moved);
        await studio.button("Redo").click();
        await expect.poll(() => places()["motor"]?.y).toBeGreaterThan(moved?.y ?? 0);
      },
      { open: "examples/controller-bus/scenario.yaml" },
    );
  });

  it("[PG4] adds an FMU, connects it, sees a mistake and repairs it, runs, zooms, compares and saves what one would have written by hand", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("window").waitFor();
        const before = await page.locator(".react-flow__node[data-id=power]").getAttribute("style");
        const { x, y } = await studio.middleOf(".react-flow__pane");
        await studio.file("fmus/PowerWindowObstacle.fmu").scrollIntoViewIfNeeded();
        await studio.drag('button.file[title="fmus/PowerWindowObstacle.fmu"]', { x, y: y + 120 });
        await page.mouse.up();
        await studio.unit("powerWindowObstacle").waitFor();
        expect(await page.locator(".react-flow__node[data-id=power]").getAttribute("style")).toBe(
          before,
        );
        const name = page.getByRole("textbox", { name: "name" });
        await name.fill("obstacle");
        await name.press("Enter");
        await studio.unit("obstacle").waitFor();
        await page.locator(".react-flow__controls-fitview").click();
        await studio.still(".react-flow__viewport");
        // Only ports that fit are offered: a length is not a torque.
        const target = await studio.middleOf('[data-port="obstacle.disp"]');
        await studio.drag('[data-port="window.height"]', target);
        await expect.poll(() => page.locator(".port.offered").count()).toBeGreaterThan(0);
        await expect
          .poll(() => page.locator('.port.unfit:has([data-port="power.tau"])').count())
          .toBe(1);
        await page.mouse.up();
        await page.locator(".wire .conversion").filter({ hasText: "cm" }).waitFor();
        // The other one by keyboard.
        await studio.unit("obstacle").click();
        const select = page.getByRole("combobox", { name: "connect obstacle.reaction_force" });
        await select.focus();
        await select.selectOption("window.reaction_force");
        await studio.status(/connected obstacle.reaction_force with window.reaction_force/);
        // A length in seconds is a mistake, at the box; in centimetres it is none.
        const position = page.getByRole("textbox", { name: "position" });
        await position.fill("30 s");
        await position.press("Enter");
        await page.locator('.unit.error[data-unit="obstacle"]').waitFor();
        await position.fill("30 cm");
        await position.press("Enter");
        await page.locator(".unit.error").waitFor({ state: "detached" });
        await studio.run();
        await studio.status(/completed at t=3/);
        // Zoomed, all plots show the same part of the time.
        const over = await page.locator(".u-over").first().boundingBox();
        if (!over) throw new Error("there is no plot");
        const texts = await studio.drawnTexts();
        await page.mouse.move(over.x + over.width * 0.4, over.y + 40);
        await page.mouse.down();
        await page.mouse.move(over.x + over.width * 0.6, over.y + 50, { steps: 4 });
        await page.mouse.up();
        await expect.poll(texts).toContain("1.5");
        await page.getByRole("button", { name: "show all of the time (0)" }).click();
        // A second run with a higher obstacle, over the first.
        await position.fill("35 cm");
        await position.press("Enter");
        await studio.run();
        const choice = page.getByRole("combobox", { name: "compare with" });
        const names = await choice.locator("option").allTextContents();
        const other = names.findLast((name) => /^run \d/.test(name)) ?? "";
        await choice.selectOption({ label: other });
        const label = other.split(":")[0] ?? "";
        await page.locator(".legend").getByText(`window.height (${label})`).waitFor();
        await studio.shoot("studio-compare");
        await page.keyboard.press("Control+s");
        await studio.status(/saved/);
      },
      { open: WINDOW },
    );
    const expected = WINDOW_TEXT.replace(
      "# moves in cm\n",
      "# moves in cm\n  obstacle: { fmu: ../fmus/PowerWindowObstacle.fmu, set: { position: 35 cm } }\n",
    ).replace(
      "  - power.omega -> window.speed\n",
      "  - power.omega -> window.speed\n  - window.height -> obstacle.disp\n  - obstacle.reaction_force -> window.reaction_force\n",
    );
    expect(lab.read(WINDOW)).toBe(expected);
  });

  it("[PG5] shows a mistake at line, wire and list, and a click repairs it", async () => {
    lab.write("mistake/scenario.yaml", WINDOW_TEXT.replace("power.omega", "power.omgea"));
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("window").waitFor();
        await page.locator(".cm-lintRange-error, .cm-lint-marker-error").first().waitFor();
        await page.locator(".wire.error, .unit.error").first().waitFor();
        await studio.tab("Problems").click();
        await page.locator(".findings .fix").first().waitFor();
        await expect.poll(() => page.locator(".findings").textContent()).toContain("omgea");
        await studio.shoot("studio-mistake");
        await page.locator(".findings .fix").first().click();
        await page.locator(".findings .severity.error").waitFor({ state: "detached" });
        await expect.poll(() => studio.text()).toContain("power.omega -> window.speed");
        await studio.button("Undo").click();
        await page.locator(".findings .severity.error").waitFor();
        await studio.button("Redo").click();
        await studio.button("Save").click();
        await studio.status(/saved/);
      },
      { open: "mistake/scenario.yaml" },
    );
    expect(lab.read("mistake/scenario.yaml")).toBe(WINDOW_TEXT);
  });

  it("[PG6] sets parameters with units, master and step, and applies an adaptation", async () => {
    lab.write("edit/scenario.yaml", WINDOW_TEXT);
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("window").waitFor();
        await page.getByRole("combobox", { name: "master" }).selectOption("gauss-seidel");
        const step = page.getByRole("textbox", { name: "step" });
        await step.fill("10 ms");
        await step.press("Enter");
        await studio.unit("power").click();
        const parameter = page.getByRole("textbox", { name: /^J / });
        await parameter.fill("850 kg.cm2");
        await parameter.press("Enter");
        await page.getByRole("combobox", { name: "adaptation" }).selectOption("multi-rate");
        await page
          .locator('[data-unit="power"] [aria-label="has an adaptation around it"]')
          .waitFor();
        const text = (): Promise<string> => studio.text();
        await expect.poll(text).toContain("step: 10 ms } # short");
        await expect.poll(text).toContain("master: gauss-seidel");
        await expect.poll(text).toMatch(/set: \{ J: 850 kg\.cm2 \}, adapt: .*multi-rate/);
        for (let i = 0; i < 4; i++) await studio.button("Undo").click();
        await expect.poll(text).toBe(WINDOW_TEXT);
      },
      { open: "edit/scenario.yaml" },
    );
  });
});

describe("the text", () => {
  it("[PG27] is completed, and what is typed is drawn", async () => {
    lab.write("typed/scenario.yaml", WINDOW_TEXT);
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("window").waitFor();
        await page.locator(".cm-line").filter({ hasText: "moves in cm" }).click();
        await page.keyboard.press("End");
        await page.keyboard.type("\nobstacle: ../fmus/PowerWindowObstacle.fmu");
        await studio.unit("obstacle").waitFor();
        await page.locator(".cm-line").filter({ hasText: "power.omega" }).click();
        await page.keyboard.press("End");
        await page.keyboard.type("\n- window.he");
        const offered = page.locator(".cm-tooltip-autocomplete");
        // The language server may not have looked at the unit yet.
        await expect
          .poll(async () => {
            await page.keyboard.press("Control+Space");
            const height = offered.filter({ hasText: "height" });
            await height.waitFor({ timeout: 4000 }).catch(() => undefined);
            return height.count();
          })
          .toBe(1);
        // The editor takes no key for a list that opened within the last 75 ms: nobody has read it.
        await page.waitForTimeout(300);
        await page.keyboard.press("Enter");
        await page.locator(".cm-line").filter({ hasText: "- window.height" }).waitFor();
        await page.keyboard.type(" -> obstacle.disp");
        await page.locator(".wire .conversion").filter({ hasText: "cm" }).waitFor();
        // The other way: what is drawn is in the text.
        await studio.unit("obstacle").locator("header").click();
        await studio.button("Remove unit").click();
        await expect.poll(() => studio.text()).toBe(WINDOW_TEXT);
      },
      { open: "typed/scenario.yaml" },
    );
  });
});

describe("pictures of the guide", () => {
  it("exist", () => {
    const guide = join(import.meta.dirname, "..", "..", "..", "docs", "guide", "studio.md");
    const named = [
      ...readFileSync(guide, "utf8").matchAll(/\]\(\.\.\/images\/(studio-[\w-]+\.png)\)/g),
    ];
    expect(named.length).toBeGreaterThan(0);
    for (const [, name] of named)
      expect(existsSync(join(guide, "..", "..", "images", name ?? ""))).toBe(true);
  });
});
