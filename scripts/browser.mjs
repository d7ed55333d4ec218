/**
 * `node scripts/browser.mjs [--shots <folder>]`: HTML pages as Chromium shows them, light and dark.
 * Unit tests run the same scripts in a document without layout; what only layout shows is tried
 * here: nothing moves under the pointer, files are saved, no page fails.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ROOT } from "./setup.mjs";

const COSIMO = join(ROOT, "packages", "cosimo");
const SIZE = { width: 1280, height: 800 };
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const shots = optionValue("--shots");
const folder = mkdtempSync(join(tmpdir(), "cosimo-browser-"));
if (shots !== undefined) mkdirSync(shots, { recursive: true });

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  for (const colorScheme of ["light", "dark"]) {
    await checkPlot("traffic-light", colorScheme, { lanes: 2 });
    await checkPlot("controller-bus", colorScheme, { lanes: 5 });
    await checkMany(colorScheme);
    await checkGraph(colorScheme);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log("pages in a browser: as they should be");

/** A page without errors, warnings and requests; `act` works with it. */
async function open(file, colorScheme, act) {
  const context = await browser.newContext({ viewport: SIZE, colorScheme, acceptDownloads: true });
  try {
    const page = await context.newPage();
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => problems.push(`console: ${message.text()}`));
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) problems.push(`loads ${request.url()}`);
    });
    // Over the first panel while the page loads: charts report a cursor as soon as they are made.
    await page.mouse.move(640, 300);
    await page.goto(`file://${file}`);
    await page.waitForTimeout(200);
    await act(page);
    assert.deepEqual(problems, [], `${file} has problems`);
  } finally {
    await context.close();
  }
}

async function checkPlot(example, colorScheme, { lanes }) {
  const html = runExample(example);
  await open(html, colorScheme, async (page) => {
    await assertLabels(page);
    await assertStill(page);
    const names = await page.locator("section").last().locator(".legend button").count();
    assert.equal(names, lanes, `${example} has ${lanes} lanes`);
    await shoot(page, `${example}-${colorScheme}`);
    if (colorScheme === "light") await assertSaves(page, example);
  });
}

/** Hundreds of signals: filter, groups, switches. */
async function checkMany(colorScheme) {
  const { plotHtml } = await import(join(COSIMO, "dist", "plot.js"));
  const rows = 200;
  const time = Float64Array.from({ length: rows }, (_, i) => i / 10);
  const columns = Array.from({ length: 240 }, (_, c) => ({
    name: `${["left", "right", "plant.motor"][c % 3]}.signal_${c}`,
    type: "float64",
    unit: ["m", "N"][c % 2],
    data: time.map((t) => Math.sin(t + c) * (c + 1)),
  }));
  const file = join(folder, `many-${colorScheme}.html`);
  writeFileSync(file, await plotHtml({ meta: { title: "many", entries: {} }, time, columns }));
  await open(file, colorScheme, async (page) => {
    const panels = () => page.locator("section").count();
    const counted = () => page.locator("#counted").textContent();
    assert.equal(await panels(), 2);
    assert.equal(await counted(), "60 of 240");
    await shoot(page, `many-${colorScheme}`);
    await assertStill(page);
    await page.fill("#filter", "left.*");
    assert.equal(await page.locator(".legend button").count(), 80);
    await page.click("#off");
    assert.equal(await counted(), "0 of 240");
    await page.click("#on");
    assert.equal(await counted(), "80 of 240");
    // Keys that zoom belong to the field while it has the focus.
    await page.locator("#filter").press("0");
    assert.equal(await page.inputValue("#filter"), "0left.*");
    await page.fill("#filter", "");
    await page.selectOption("#group", "owner");
    assert.equal(await panels(), 6);
    await shoot(page, `many-by-owner-${colorScheme}`);
    await page.fill("#filter", "signal_7");
    await page.selectOption("#group", "signal");
    assert.equal(await panels(), 11);
    await shoot(page, `many-by-signal-${colorScheme}`);
  });
}

async function checkGraph(colorScheme) {
  const file = join(folder, "graph.html");
  cosimo(
    "check",
    join(ROOT, "examples", "controller-bus", "scenario.yaml"),
    "--trust",
    "--graph",
    file,
  );
  await open(file, colorScheme, async (page) => {
    await page.locator("[data-unit]").first().hover();
    await shoot(page, `graph-${colorScheme}`);
  });
}

/** Readers that cannot see a button must hear what it does. */
async function assertLabels(page) {
  const silent = await page
    .locator("button, input, select")
    .evaluateAll((elements) =>
      elements
        .filter(
          (e) =>
            !/\p{L}{3}/u.test(
              e.getAttribute("aria-label") ??
                e.closest("label")?.textContent ??
                e.textContent ??
                "",
            ),
        )
        .map((e) => e.outerHTML),
    );
  assert.deepEqual(silent, [], "buttons without a label");
}

/** Everything stays where it is while the pointer moves over the curves, and values appear. */
async function assertStill(page) {
  const boxes = () =>
    page
      .locator("header *, .legend button, canvas, footer")
      .evaluateAll((elements) => elements.map((e) => JSON.stringify(e.getBoundingClientRect())));
  const before = await boxes();
  const over = await page.locator(".u-over").first().boundingBox();
  for (const share of [0.02, 0.31, 0.5, 0.77, 0.99]) {
    await page.mouse.move(over.x + share * over.width, over.y + over.height / 2);
    const moved = (await boxes()).filter((box, i) => box !== before[i]);
    assert.deepEqual(moved, [], "something moved under the pointer");
  }
  assert.match(await page.locator("#readout").textContent(), /^t = /);
}

async function assertSaves(page, title) {
  for (const ending of ["png", "svg", "csv"]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`#${ending}`)]);
    assert.equal(download.suggestedFilename(), `${title}.${ending}`);
    const bytes = readFileSync(await download.path());
    const begin = { png: "PNG", svg: "<svg", csv: '"time",' }[ending];
    assert.equal(bytes.subarray(0, 8).toString("latin1").includes(begin), true, `${ending} file`);
    if (shots !== undefined) writeFileSync(join(shots, `${title}-saved.${ending}`), bytes);
  }
}

function runExample(name) {
  const html = join(folder, `${name}.html`);
  const scenario = join(ROOT, "examples", name, "scenario.yaml");
  cosimo("run", scenario, "--trust", "--quiet", "--plot", html);
  return html;
}

function cosimo(...args) {
  execFileSync(process.execPath, [join(COSIMO, "bin", "cosimo.js"), ...args], { stdio: "pipe" });
}

async function shoot(page, name) {
  if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`) });
}

function optionValue(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
