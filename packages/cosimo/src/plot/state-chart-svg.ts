/**
 * A state machine as a drawing: states as boxes, states inside states, transitions as arrows with
 * what they wait for. Placed by the layered algorithm of the Eclipse Layout Kernel, as couplings
 * are (graph-layout.ts), with the hierarchy laid out at once.
 */
import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk.bundled.js";
import { tenth } from "./curve.ts";
import { escapeMarkup } from "./escape.ts";
import { graphStyle } from "./graph-svg.ts";
import { THEMES, type ThemeName } from "./palette.ts";
import { textWidth } from "./text-width.ts";

export interface ChartState {
  /** Path from the top, `hot.cooling`. */
  readonly path: string;
  /** Entered first, in the machine or in the state around it. */
  readonly isInitial: boolean;
  /** What entry and exit do, a line each. */
  readonly actions: readonly string[];
}

export interface ChartTransition {
  readonly from: string;
  readonly to: string;
  /** `after 3 s [x > 1] / y := 2`, cut into lines. */
  readonly lines: readonly string[];
}

export interface StateChart {
  readonly title: string;
  readonly subtitle: string;
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartTransition[];
}

const HEAD = 68;
const MARGIN = 24;
const NAME_SIZE = 13;
const LINE_SIZE = 11;
const LINE_HEIGHT = 14;
const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.padding": `[top=0,left=${MARGIN},bottom=${MARGIN},right=${MARGIN}]`,
  "elk.spacing.nodeNode": "40",
  "elk.spacing.edgeNode": "20",
  "elk.spacing.edgeLabel": "6",
  "elk.layered.spacing.nodeNodeBetweenLayers": "44",
  "elk.layered.feedbackEdges": "true",
  // States keep the order of the file as far as transitions allow: the first ones are on top.
  "elk.layered.cycleBreaking.strategy": "MODEL_ORDER",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
} as const;

/** A standalone SVG document. Asynchronous, because the layout is loaded with the first drawing. */
export async function stateChartSvg(
  chart: StateChart,
  { theme = "light" }: { readonly theme?: ThemeName } = {},
): Promise<string> {
  const { default: elk } = await import("elkjs/lib/elk.bundled.js");
  const graph: ElkNode = {
    id: "machine",
    layoutOptions: OPTIONS,
    children: nodesIn(chart, ""),
    edges: chart.transitions.map(edgeOf),
  };
  const root = await new elk.default().layout(graph);
  const titleWidth = Math.max(textWidth(chart.title, 18), textWidth(chart.subtitle, 12)) + 48;
  const width = Math.ceil(Math.max(root.width ?? 0, titleWidth, 320));
  const height = Math.ceil(HEAD + (root.height ?? 0));
  const boxes = new Map<string, Box>();
  placeBoxes(root, { x: 0, y: HEAD }, boxes);
  const colors = THEMES[theme];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeMarkup(chart.title)}</title>`,
    `<style>${graphStyle(colors)}.line{font-size:${LINE_SIZE}px}.line,.name{paint-order:stroke;stroke:${colors.panel};stroke-width:4px;stroke-linejoin:round}.start{fill:${colors.text}}</style>`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="${colors.muted}"/></marker></defs>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    `<text class="title" x="24" y="32">${escapeMarkup(chart.title)}</text>`,
    `<text class="muted subtitle" x="24" y="51">${escapeMarkup(chart.subtitle)}</text>`,
    ...chart.states.map((state) => boxMarkup(state, boxes.get(state.path))),
    ...(root.edges ?? []).map((edge) => edgeMarkup(edge, boxes)),
    // Above the arrows that cross a state on their way into it.
    ...chart.states.map((state) => stateTexts(state, boxes.get(state.path))),
    "</svg>",
    "",
  ].join("\n");
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function nodesIn(chart: StateChart, around: string): ElkNode[] {
  const inside = chart.states.filter(({ path }) => outerOf(path) === around);
  return inside.map((state): ElkNode => {
    const children = nodesIn(chart, state.path);
    const lines = state.actions.map((line) => textWidth(line, LINE_SIZE));
    const width = Math.max(80, textWidth(nameOf(state.path), NAME_SIZE) + 48, ...lines) + 24;
    const head = 30 + LINE_HEIGHT * state.actions.length;
    return {
      id: state.path,
      width,
      height: head + 8,
      ...(children.length > 0 && {
        children,
        layoutOptions: {
          "elk.padding": `[top=${head + 18},left=18,bottom=18,right=18]`,
          "elk.nodeSize.constraints": "MINIMUM_SIZE",
          "elk.nodeSize.minimum": `(${width},${head})`,
        },
      }),
    };
  });
}

function edgeOf({ from, to, lines }: ChartTransition, index: number): ElkExtendedEdge {
  const text = lines.join("\n");
  const width = Math.max(1, ...lines.map((line) => textWidth(line, LINE_SIZE) + 12));
  return {
    id: `transition ${index}`,
    sources: [from],
    targets: [to],
    labels: [{ text, width, height: Math.max(1, LINE_HEIGHT * lines.length) }],
  };
}

/** Places inside a state count from its corner; boxes get those of the page. */
function placeBoxes(
  { children = [] }: ElkNode,
  origin: Pick<Box, "x" | "y">,
  boxes: Map<string, Box>,
): void {
  for (const child of children) {
    const { id, x = 0, y = 0, width = 0, height = 0 } = child;
    const box = { x: origin.x + x, y: origin.y + y, width, height };
    boxes.set(id, box);
    placeBoxes(child, box, boxes);
  }
}

function boxMarkup({ path, isInitial }: ChartState, box: Box | undefined): string {
  if (box === undefined) return "";
  const { x, y, width, height } = box;
  return [
    `<g data-state="${escapeMarkup(path)}">`,
    `<rect class="box" x="${tenth(x)}" y="${tenth(y)}" width="${tenth(width)}" height="${tenth(height)}" rx="12"/>`,
    ...(isInitial
      ? [`<circle class="start" cx="${tenth(x + 15)}" cy="${tenth(y + 15)}" r="5"/>`]
      : []),
    "</g>",
  ].join("\n");
}

function stateTexts({ path, actions }: ChartState, box: Box | undefined): string {
  if (box === undefined) return "";
  const { x, y, width } = box;
  const line = (text: string, row: number): string =>
    `<text class="line" x="${tenth(x + 12)}" y="${tenth(y + 36 + LINE_HEIGHT * row)}">${escapeMarkup(text)}</text>`;
  return [
    `<text class="name" x="${tenth(x + width / 2)}" y="${tenth(y + 20)}" text-anchor="middle">${escapeMarkup(nameOf(path))}</text>`,
    ...actions.map(line),
  ].join("\n");
}

/** Points of an edge count from the innermost state around both of its ends. */
function edgeMarkup(edge: ElkExtendedEdge, boxes: ReadonlyMap<string, Box>): string {
  const container = (edge as { readonly container?: string }).container ?? "machine";
  const origin = boxes.get(container) ?? { x: 0, y: HEAD };
  const points = (edge.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(
      ({ x, y }) => `${tenth(origin.x + x)} ${tenth(origin.y + y)}`,
    ),
  );
  const labels = (edge.labels ?? []).flatMap(({ text = "", x = 0, y = 0, width = 0 }) =>
    text.split("\n").map((line, row) => {
      const [left, top] = [origin.x + x + width / 2, origin.y + y + LINE_HEIGHT * (row + 1) - 4];
      return `<text class="label" x="${tenth(left)}" y="${tenth(top)}">${escapeMarkup(line)}</text>`;
    }),
  );
  return [`<path class="wire" marker-end="url(#tip)" d="M${points.join(" L")}"/>`, ...labels].join(
    "\n",
  );
}

function outerOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(".")));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
