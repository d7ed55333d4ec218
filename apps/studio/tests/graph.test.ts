/**
 * The graph as a tool: what is drawn, moved, removed and undone, in nested scenarios too.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Lab } from "./lab.ts";

const lab = new Lab();
const THREE =
  "name: three\nunits:\n  a: fmus/Dahlquist.fmu\n  b: fmus/Dahlquist.fmu\n  c: fmus/Dahlquist.fmu\nexperiment: { stop: 1 s, step: 100 ms }\n";

beforeAll(async () => {
  lab.copy("fixtures/build/fmi2/Dahlquist.fmu", "fmus/Dahlquist.fmu");
  for (const name of ["Environment", "Controller", "Power", "Window"])
    lab.copy(`fixtures/build/fmi2/PowerWindow${name}.fmu`, `fmus/PowerWindow${name}.fmu`);
  for (const name of ["MassSpringDamperLeft", "MassSpringDamperRight"])
    lab.copy(`fixtures/build/fmi2/${name}.fmu`, `fmus/${name}.fmu`);
  lab.write("three.yaml", THREE);
  lab.copy("fixtures/build/fmi2/Misbehaving.fmu", "fmus/Misbehaving.fmu");
  // The inner unit has the name of an outer one, which is not it.
  lab.write(
    "nested/inner.yaml",
    "units:\n  bad: { fmu: ../fmus/Misbehaving.fmu, set: { behaviour: error } }\n  d: { fmu: ../fmus/Dahlquist.fmu, set: { k: 3 } }\nexperiment: { stop: 1 s, step: 100 ms }\nports: { level: d.x }\n",
  );
  lab.write(
    "nested/outer.yaml",
    "units:\n  part: inner.yaml\n  d: ../fmus/Dahlquist.fmu\nexperiment: { stop: 1 s, step: 100 ms }\n",
  );
  for (const name of ["cpu-cooling", "coupled-masses"])
    lab.copy(`examples/${name}`, `examples/${name}`);
  const many = Array.from({ length: 160 }, (_, i) => `  u${i}: fmus/PowerWindowController.fmu`);
  const wires = Array.from({ length: 159 }, (_, i) => `  - u${i}.up -> u${i + 1}.driver_up`);
  lab.write(
    "many.yaml",
    `units:\n${many.join("\n")}\nconnections:\n${wires.join("\n")}\nexperiment: { stop: 1 s, step: 100 ms }\nmaster: jacobi\n`,
  );
  await lab.start();
});

afterAll(() => lab.stop());

describe("boxes", () => {
  it("[PG18] all that are selected are removed at once, and come back at once", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("a").waitFor();
        const boxes = (): Promise<(string | undefined)[]> =>
          page
            .locator("[data-unit]")
            .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset["unit"]));
        await studio.unit("a").locator("header").click();
        await page.keyboard.down("Control");
        await studio.unit("c").locator("header").click();
        await page.keyboard.up("Control");
        await page.keyboard.press("Delete");
        await expect.poll(boxes).toEqual(["b"]);
        await expect.poll(() => studio.text()).not.toMatch(/ [ac]: fmus/);
        await studio.button("Undo").click();
        await expect.poll(async () => (await boxes()).length).toBe(3);
        await expect.poll(() => studio.text()).toBe(THREE);
        // Nothing was moved.
        expect(existsSync(join(lab.folder, "three.layout.json"))).toBe(false);
      },
      { open: "three.yaml" },
    );
  });

  it("[PG18] a damaged layout is as none", async () => {
    lab.write("damaged.yaml", THREE);
    lab.write("damaged.layout.json", "{}");
    await lab.open(
      async (studio) => {
        await studio.unit("a").waitFor();
      },
      { open: "damaged.yaml" },
    );
  });
});

describe("before the checks have answered", () => {
  it("[PG22] edits are drawn, and their answer adds what only they know", async () => {
    lab.write(
      "loop.yaml",
      "units:\n  left: fmus/MassSpringDamperLeft.fmu\n  right: fmus/MassSpringDamperRight.fmu\nconnections:\n  - left.x_1 -> right.x_c\n  - left.v_1 -> right.v_c\nexperiment: { stop: 1 s, step: 10 ms }\nmaster: iterative\n",
    );
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("left").waitFor();
        await expect.poll(() => page.locator(".wire").count()).toBe(2);
        const held = await studio.hold("**/api/describe");
        await studio.unit("right").locator("header").click();
        const select = page.getByRole("combobox", { name: "connect right.F_c" });
        await select.focus();
        await select.selectOption("left.F_e");
        await expect.poll(() => page.locator(".wire").count()).toBe(3);
        expect(await page.locator(".wire.loop").count()).toBe(0);
        await held.release();
        await expect.poll(() => page.locator(".wire.loop").count()).toBeGreaterThan(1);
      },
      { open: "loop.yaml" },
    );
  });

  it("[PG22] explanation and plan are asked for while they are looked at", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        const asked: string[] = [];
        page.on("request", (request) => {
          if (request.url().endsWith("/api/describe")) asked.push(request.postData() ?? "");
        });
        await studio.unit("a").waitFor();
        const whole = (): number => asked.filter((body) => !JSON.parse(body).isBrief).length;
        expect(whole()).toBe(0);
        await studio.tab("Explanation").click();
        const shown = page.locator(".explanation pre");
        await expect.poll(() => shown.textContent()).toContain("FMI 2.0");
        expect(whole()).toBe(1);
        await page.getByRole("checkbox", { name: /the plan/ }).check();
        await expect.poll(() => shown.textContent()).toMatch(/advance/i);
      },
      { open: "three.yaml" },
    );
  });
});

describe("a large scenario", () => {
  it("[PG11] has wires that can be seen at any zoom", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await page.locator(".sheet path.plain").waitFor({ state: "attached" });
        const seen = (): Promise<number> =>
          page.evaluate(() => {
            const viewport = document.querySelector(".react-flow__viewport");
            const path = document.querySelector(".sheet path.plain");
            if (!viewport || !path) return 0;
            const zoom = new DOMMatrix(getComputedStyle(viewport).transform).a;
            return zoom * Number.parseFloat(getComputedStyle(path).strokeWidth);
          });
        await studio.still(".react-flow__viewport");
        expect(await seen()).toBeGreaterThan(0.6);
      },
      { open: "many.yaml" },
    );
  });
});

describe("nested scenarios", () => {
  it("[PG19] the unit that failed is marked at every level, and values are those of the unit inside", async () => {
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("part").waitFor();
        await studio.run();
        await page.locator('.unit.failed[data-unit="part"]').waitFor();
        const outer = await page.locator('[data-value="d.x"]').textContent();
        await page.getByRole("button", { name: "look into part" }).click();
        await page.locator('.unit.failed[data-unit="bad"]').waitFor();
        const inner = page.locator('[data-unit="d"] [data-value]');
        await expect.poll(() => inner.getAttribute("data-value")).toBe("part.level");
        await expect.poll(() => inner.textContent()).not.toBe(outer);
        await studio.unit("d").locator("header").click();
        await page.getByRole("button", { name: "plot d.x" }).click();
        await page.locator(".legend").getByText("part.level").first().waitFor();
      },
      { open: "nested/outer.yaml" },
    );
  });
});

describe("texts that are drawn", () => {
  it("[PG9] a specification is edited as text, its graph follows, and it is saved", async () => {
    const path = "examples/cpu-cooling/system.mcl";
    const before = lab.read(path);
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await page.locator("[data-unit]").first().waitFor();
        await studio.tab("Problems").click();
        const errors = (): Promise<number> => page.locator(".findings .severity.error").count();
        await studio.still(".findings");
        const first = await errors();
        await page.locator(".cm-content").click();
        await page.keyboard.press("Control+End");
        await page.keyboard.type("\n) nonsense");
        await expect.poll(errors).not.toBe(first);
        while (await studio.button("Undo").isEnabled()) await studio.button("Undo").click();
        await expect.poll(errors).toBe(first);
        await page.locator(".cm-content").click();
        await page.keyboard.press("Control+Home");
        await page.keyboard.type("// seen\n");
        await page.keyboard.press("Control+s");
        await studio.status(/saved/);
      },
      { open: path },
    );
    expect(lab.read(path)).toBe(`// seen\n${before}`);
  });
});

describe("texts of every language", () => {
  it("[PG9] have findings of the language server", async () => {
    lab.copy("examples/servo/servo.hint", "texts/servo.hint");
    const folder = "examples/cpu-cooling";
    await lab.open(async (studio) => {
      const { page } = studio;
      for (const path of [
        `${folder}/fan.mci`,
        `${folder}/over-heat.machine.yaml`,
        "texts/servo.hint",
      ]) {
        await studio.file(path).click();
        await page.getByRole("textbox", { name: `text of ${path}` }).click();
        const marks = page.locator(".cm-lint-marker-error");
        expect(await marks.count()).toBe(0);
        await page.keyboard.press("Control+Home");
        await page.keyboard.type(") nonsense\n");
        await marks.first().waitFor();
        await studio.button("Undo").click();
      }
    });
  });
});

describe("adaptations", () => {
  it("[PG6] of the library are written with ports of the unit, and their options are shown", async () => {
    lab.write("adapted.yaml", THREE);
    await lab.open(
      async (studio) => {
        const { page } = studio;
        await studio.unit("a").locator("header").click();
        const choice = page.getByRole("combobox", { name: "adaptation" });
        await choice.selectOption("hold");
        const apply = page.getByRole("button", { name: "Apply" });
        // Nothing is written before a port is chosen.
        expect(await apply.isDisabled()).toBe(true);
        expect(await studio.text()).toBe(THREE);
        const port = page.getByRole("combobox", { name: /^signal/ });
        expect(await port.locator("option").allTextContents()).toContain("x");
        await port.selectOption("x");
        const others = page.locator(".options input");
        for (let n = 0; n < (await others.count()); n++)
          if ((await others.nth(n).inputValue()) === "") await others.nth(n).fill("0.25");
        await apply.click();
        await expect.poll(() => studio.text()).toMatch(/hold: \{ signal: x/);
        await page.locator('[data-unit="a"] [aria-label="has an adaptation around it"]').waitFor();
        await expect.poll(() => port.inputValue()).toBe("x");
        expect(await page.getByRole("textbox", { name: "as written" }).inputValue()).toMatch(
          /^hold \{ signal: x/,
        );
      },
      { open: "adapted.yaml" },
    );
  });
});

describe("packages", () => {
  it("[PG21] keep the places of their own drawing until a person moves a box", async () => {
    const unit = (name: string, x: number, y: number): string =>
      `<ssd:Component name="${name}" source="fmus/Dahlquist.fmu"><ssd:ElementGeometry x1="${x}" y1="${y}" x2="${x + 10}" y2="${y + 10}"/></ssd:Component>`;
    lab.write(
      "drawn.ssd",
      `<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="drawn">
<ssd:System name="drawn"><ssd:Elements>${unit("right", 40, 0)}${unit("left", 0, 0)}${unit("top", 0, 30)}</ssd:Elements></ssd:System>
</ssd:SystemStructureDescription>
`,
    );
    await lab.open(
      async (studio) => {
        await studio.unit("left").waitFor();
        const boxOf = async (name: string): Promise<{ x: number; y: number }> =>
          (await studio.unit(name).boundingBox()) ?? { x: 0, y: 0 };
        const [left, right, top] = await Promise.all(["left", "right", "top"].map(boxOf));
        expect(left?.y).toBeCloseTo(right?.y ?? 0, 0);
        expect(left?.x).toBeCloseTo(top?.x ?? 0, 0);
        expect(right?.x).toBeGreaterThan(left?.x ?? 0);
        expect(top?.y).toBeLessThan(left?.y ?? 0);
        expect(existsSync(join(lab.folder, "drawn.ssd.layout.json"))).toBe(false);
      },
      { open: "drawn.ssd" },
    );
  });
});
