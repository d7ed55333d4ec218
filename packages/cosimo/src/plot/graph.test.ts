import fc from "fast-check";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import type { GraphModel, GraphUnit, GraphWire } from "./graph.ts";
import { type GraphBox, LABEL_SIZE } from "./graph-box.ts";
import { graphHtml } from "./graph-html.ts";
import { layoutGraph } from "./graph-layout.ts";
import { graphSvg } from "./graph-svg.ts";
import { openPage } from "./testing/open-page.ts";
import { textWidth } from "./text-width.ts";

function unit(name: string, inputs: number, outputs: number): GraphUnit {
  const ports = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, i) => ({ name: `${prefix}${i}`, solid: false, about: [] }));
  return {
    name,
    caption: "unit",
    about: [],
    inputs: ports(inputs, "u"),
    outputs: ports(outputs, "y"),
  };
}

function wire(from: number, fromPort: number, to: number, toPort: number): GraphWire {
  return {
    from: { unit: from, port: fromPort },
    to: { unit: to, port: toPort },
    inLoop: false,
    late: false,
    varying: false,
    about: [],
  };
}

function graph(units: readonly GraphUnit[], wires: readonly GraphWire[]): GraphModel {
  return { title: "test", subtitle: "", units, wires };
}

const randomGraph = fc
  .record({
    units: fc.array(fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 6 })), {
      minLength: 1,
      maxLength: 25,
      size: "max",
    }),
    wires: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()), {
      maxLength: 60,
      size: "max",
    }),
  })
  .map(({ units, wires }) => {
    const made = units.map(([inputs, outputs], u) => unit(`u${u}`, inputs, outputs));
    return graph(
      made,
      wires.flatMap(([a, b, c, d]) => {
        const from = made[a % made.length];
        const to = made[c % made.length];
        if (from.outputs.length === 0 || to.inputs.length === 0) return [];
        return [
          wire(made.indexOf(from), b % from.outputs.length, made.indexOf(to), d % to.inputs.length),
        ];
      }),
    );
  });

type Point = readonly [x: number, y: number];

/** Points along a path, close to each other where it is curved. */
function pointsOf(path: string): Point[] {
  const points: Point[] = [];
  let at: Point = [Number.NaN, Number.NaN];
  for (const [, command, rest] of path.matchAll(/([MHVCQ])([^MHVCQ]*)/g)) {
    const n = rest
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    const [x, y] = at;
    const next: Point[] = command === "H" ? [[n[0], y]] : command === "V" ? [[x, n[0]]] : pairs(n);
    if (command === "M" || command === "H" || command === "V") points.push(...next);
    else points.push(...bezier([at, ...next]));
    at = points.at(-1) ?? at;
  }
  return points;
}

function pairs(n: readonly number[]): Point[] {
  return Array.from({ length: n.length / 2 }, (_, i) => [n[2 * i], n[2 * i + 1]]);
}

/** De Casteljau at sixteen places. */
function bezier(control: readonly Point[]): Point[] {
  return Array.from({ length: 16 }, (_, i) => {
    const s = (i + 1) / 16;
    let level = control;
    while (level.length > 1)
      level = level
        .slice(1)
        .map(
          ([x, y], k): Point => [
            level[k][0] + s * (x - level[k][0]),
            level[k][1] + s * (y - level[k][1]),
          ],
        );
    return level[0];
  });
}

/** A level or upright piece, or a short one of a curve, that has a part inside the box. */
function entersBox([x0, y0]: Point, [x1, y1]: Point, box: GraphBox): boolean {
  const inside = 1;
  return (
    Math.max(x0, x1) > box.x + inside &&
    Math.min(x0, x1) < box.x + box.width - inside &&
    Math.max(y0, y1) > box.y + inside &&
    Math.min(y0, y1) < box.y + box.height - inside
  );
}

function overlaps(boxes: readonly Pick<GraphBox, "x" | "y" | "width" | "height">[]): boolean {
  return boxes.some((a, i) =>
    boxes.some(
      (b, k) =>
        k > i &&
        a.x < b.x + b.width &&
        b.x < a.x + a.width &&
        a.y < b.y + b.height - 0.1 &&
        b.y < a.y + a.height - 0.1,
    ),
  );
}

function parse(xml: string): void {
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(xml).close();
}

describe("the drawing of a scenario", () => {
  it("[PN70] puts boxes beside each other, never over each other, all inside the picture", async () => {
    await fc.assert(
      fc.asyncProperty(randomGraph, async (model) => {
        const layout = await layoutGraph(model, 60);
        expect(overlaps(layout.boxes)).toBe(false);
        for (const { x, y, width, height } of layout.boxes) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(y).toBeGreaterThanOrEqual(60);
          expect(x + width).toBeLessThanOrEqual(layout.width);
          expect(y + height).toBeLessThanOrEqual(layout.height);
        }
      }),
      { seed: 70, numRuns: cases(60) },
    );
  });

  it("[PN71] leads every wire from its output to its input", async () => {
    await fc.assert(
      fc.asyncProperty(randomGraph, async (model) => {
        const { boxes, wires } = await layoutGraph(model, 60);
        expect(wires).toHaveLength(model.wires.length);
        for (const { wire: w, path } of wires) {
          expect(path).not.toContain("NaN");
          const { from, to } = model.wires[w];
          const source = boxes[from.unit].ports.find(
            (p) => p.side === "right" && p.port === from.port,
          )!;
          const sink = boxes[to.unit].ports.find((p) => p.side === "left" && p.port === to.port)!;
          const points = pointsOf(path);
          const [start, end] = [points.at(0)!, points.at(-1)!];
          expect(Math.abs(start[0] - source.x) + Math.abs(start[1] - source.y)).toBeLessThan(0.3);
          expect(Math.abs(end[0] - sink.x) + Math.abs(end[1] - sink.y)).toBeLessThan(0.3);
        }
      }),
      { seed: 71, numRuns: cases(60) },
    );
  });

  it("[PN77] leads no wire through a box", async () => {
    await fc.assert(
      fc.asyncProperty(randomGraph, async (model) => {
        const { boxes, wires, width, height } = await layoutGraph(model, 60);
        for (const { path } of wires) {
          const points = pointsOf(path);
          const pieces = points.slice(1).map((point, i): [Point, Point] => [points[i], point]);
          expect(pieces.filter((piece) => boxes.some((box) => entersBox(...piece, box)))).toEqual(
            [],
          );
          expect(
            points.filter(([x, y]) => !(x >= 0 && x <= width && y >= 60 && y <= height)),
          ).toEqual([]);
        }
      }),
      { seed: 77, numRuns: cases(60), endOnFailure: true },
    );
    // Positive control.
    const { boxes } = await layoutGraph(graph([unit("a", 0, 0)], []), 60);
    const [box] = boxes;
    const across = pointsOf(`M0 ${box.y + 5} H${box.x + box.width + 20}`);
    expect(entersBox(across[0], across[1], box)).toBe(true);
  });

  it("[PN77] lays no label over a box or over another label", async () => {
    await fc.assert(
      fc.asyncProperty(randomGraph, async (model) => {
        const label = "km/h → m/s";
        const labelled = model.wires.map((one, w) => (w % 3 === 0 ? { ...one, label } : one));
        const { boxes, wires } = await layoutGraph({ ...model, wires: labelled }, 60);
        const width = textWidth(label, LABEL_SIZE);
        const texts = wires.flatMap((one) =>
          one.label
            ? [
                {
                  x: one.label.x - width / 2,
                  y: one.label.y - LABEL_SIZE,
                  width,
                  height: LABEL_SIZE,
                },
              ]
            : [],
        );
        expect(texts).toHaveLength(labelled.filter((one) => one.label).length);
        expect(overlaps([...boxes, ...texts])).toBe(false);
      }),
      { seed: 78, numRuns: cases(60) },
    );
    const one = { x: 0, y: 0, width: 10, height: 10 };
    expect(overlaps([one, { ...one, x: 9 }])).toBe(true);
  });

  it("[PN78] is the same, byte for byte, whenever it is drawn", async () => {
    const units = Array.from({ length: 12 }, (_, u) => unit(`u${u}`, 3, 2));
    const wires = units.flatMap((_, u) => [
      wire(u, 0, (u * 5 + 1) % 12, 0),
      { ...wire(u, 1, (u + 3) % 12, 1), label: "km/h → m/s" },
    ]);
    const [one, two] = await Promise.all([
      graphSvg(graph(units, wires)),
      graphSvg(structuredClone(graph(units, wires))),
    ]);
    expect(two).toBe(one);
  });

  it("[PN72] goes from left to right where signals run in no loop", async () => {
    const chain = Array.from({ length: 6 }, (_, i) => unit(`u${i}`, 1, 1));
    const order = [3, 1, 4, 0, 5, 2];
    const wires = order.slice(1).map((to, i) => wire(order[i], 0, to, 0));
    const { boxes } = await layoutGraph(graph(chain, wires), 0);
    const found = order.map((u) => boxes[u].x);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(new Set(found).size).toBe(6);
  });

  it("[PN72] puts units that only feed others leftmost, beside loops too", async () => {
    const units = [
      unit("plant", 2, 1),
      unit("controller", 2, 1),
      unit("set point", 0, 1),
      unit("late source", 0, 1),
      unit("sink", 2, 0),
    ];
    const loop = [wire(0, 0, 1, 0), wire(1, 0, 0, 0)];
    const rest = [wire(2, 0, 1, 1), wire(0, 0, 4, 0), wire(3, 0, 4, 1)];
    const { boxes } = await layoutGraph(graph(units, [...loop, ...rest]), 0);
    const right = Math.max(boxes[2]!.x + boxes[2]!.width, boxes[3]!.x + boxes[3]!.width);
    for (const other of [0, 1, 4]) expect(boxes[other]!.x).toBeGreaterThanOrEqual(right);
  });

  it("[PN79] draws a wire straight where nothing is in the way", async () => {
    const units = [unit("a", 0, 5), unit("b", 1, 1), unit("c", 2, 0)];
    const { wires } = await layoutGraph(graph(units, [wire(0, 3, 1, 0), wire(1, 0, 2, 1)]), 0);
    for (const { path } of wires) {
      const levels = new Set(pointsOf(path).map(([, y]) => y));
      expect(levels.size).toBe(1);
    }
  });

  it("[PN73] shows every connected port, a few others, and how many were left out", async () => {
    const svg = await graphSvg(graph([unit("a", 0, 40), unit("b", 1, 0)], [wire(0, 33, 1, 0)]));
    expect(svg).toContain(">y33<");
    expect(svg).toContain(">… 35 more<");
  });

  it("[PN74] marks loops, delays and inputs that vary, and explains only the marks it uses", async () => {
    const units = [unit("a", 1, 1), unit("b", 1, 1)];
    const plain = await graphSvg(graph(units, [wire(0, 0, 1, 0)]));
    expect(plain).not.toContain("algebraic loop");
    const loop = { ...wire(0, 0, 1, 0), inLoop: true };
    const late = { ...wire(1, 0, 0, 0), inLoop: true, late: true, label: "deg → rad" };
    const marked = await graphSvg(graph(units, [loop, late]));
    expect(marked).toContain('class="wire loop late"');
    expect(marked).toContain("algebraic loop");
    expect(marked).toContain("one step late");
    expect(marked).toContain(">deg → rad<");
    expect(marked).not.toContain("varies within a step</text>");
  });

  it("[PN75] stays well-formed and inert whatever names contain", async () => {
    const evil = `</script><script>alert("1")</script>&<!--`;
    const model = {
      ...graph([{ ...unit(evil, 1, 1), about: [evil] }], [wire(0, 0, 0, 0)]),
      title: evil,
    };
    const svg = await graphSvg(model);
    parse(svg);
    expect(svg).not.toContain("<script");
    const html = await graphHtml(model);
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html.match(/<\/script>/g)).toHaveLength(2);
  });

  it("[PN76] is one page that loads nothing and whose script knows every unit and wire", async () => {
    const html = await graphHtml(graph([unit("a", 1, 1), unit("b", 1, 1)], [wire(0, 0, 1, 0)]));
    expect(html.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|src=|@import/);
    const [, data] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)!;
    expect(JSON.parse(data!)).toEqual({ units: [["a"], ["b"]], wires: [[]] });
  });

  it("[PN76] shows the facts of what the mouse is over, and fades what does not belong to it", async () => {
    const units = ["a", "b", "c"].map((name) => ({
      ...unit(name, 1, 1),
      about: [`${name} facts`],
    }));
    const wires = [wire(0, 0, 1, 0), { ...wire(1, 0, 2, 0), about: ["b.y0 to c.u0"] }];
    const page = await openPage(await graphHtml(graph(units, wires)));
    const faded = () =>
      Array.from(
        page.window.document.querySelectorAll("[data-unit].dim"),
        (one) => one.getAttribute("data-unit") ?? "",
      );
    const mouse = (event: string, selector: string) => () => {
      const bubbles = event === "mouseover";
      page.one(selector).dispatchEvent(new page.window.MouseEvent(event, { bubbles }));
    };
    await page.during(mouse("mouseover", "[data-unit='0'] .box"));
    expect(faded()).toEqual(["2"]);
    expect(page.one("#facts").textContent).toBe("aa facts");
    await page.during(mouse("mouseover", "[data-unit='1'] circle"));
    expect(faded()).toEqual([]);
    expect(page.one("#facts").textContent).toBe("b.y0");
    await page.during(mouse("mouseenter", "[data-wire='1']"));
    expect(faded()).toEqual(["0"]);
    expect(page.one("#facts").textContent).toBe("b.y0 to c.u0");
    await page.during(mouse("mouseleave", "[data-wire='1']"));
    expect(page.one("#facts").hasAttribute("hidden")).toBe(true);
  });

  it("[PN70] still works for hundreds of units", async () => {
    const units = Array.from({ length: 300 }, (_, u) => unit(`u${u}`, 2, 1));
    const wires = units.flatMap((_, u) => [
      wire(u, 0, (u * 7 + 1) % 300, 0),
      wire(u, 0, (u + 13) % 300, 1),
    ]);
    const svg = await graphSvg(graph(units, wires));
    expect(svg.match(/data-unit=/g)).toHaveLength(300);
    expect(svg).not.toContain("NaN");
  });
});
