/**
 * A hierarchy of coupled models → one level of atomic units with direct routes, before the run.
 *
 * This is closure under coupling read backwards: a coupled model behaves as the network of the
 * atomic ones inside it, so couplings that only lead through the border of a coupled model are
 * followed to their ends, and the translations on the way are composed. `Select` of nested models
 * becomes one order of all atomic units where every model gives an order, and stays a tree where
 * one of them decides by a function.
 *
 * Routes are in compressed rows: those of output p of unit i are routeStart[outBase[i] + p] …
 * routeStart[outBase[i] + p + 1] - 1.
 */
import type { Checked, Diagnostic } from "../base/diagnostic.ts";
import { hasErrors } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { copyData } from "./data.ts";
import { devsReporter, type ReportDevs, SEMANTICS } from "./devs-diagnostics.ts";
import type { AtomicModel, Component, CoupledModel, Coupling, Semantics } from "./model.ts";
import { reportZeroDelayCycles } from "./zero-delay.ts";

export type Translation = ((value: unknown) => unknown) | undefined;

export interface FlatUnit {
  /** `outer.inner`, without the name of the whole model. */
  readonly path: string;
  readonly model: AtomicModel;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** Targets are units, or -1 - k for output k of the whole model. */
export interface Routes {
  readonly start: Int32Array;
  readonly target: Int32Array;
  readonly port: Int32Array;
  readonly map: readonly Translation[];
}

/** Components that `select` chooses from; a leaf is a unit. */
export type SelectTree =
  | { readonly unit: number }
  | {
      readonly path: string;
      readonly names: readonly string[];
      readonly children: readonly SelectTree[];
      readonly choose: ((imminent: readonly string[]) => string) | undefined;
      /** Places of the children, first choice first. */
      readonly order: readonly number[];
    };

export interface FlatModel {
  readonly name: string;
  /** The whole model is one atomic unit, which is called as the model. */
  readonly isAtomic: boolean;
  readonly semantics: Semantics;
  readonly units: readonly FlatUnit[];
  readonly outBase: Int32Array;
  readonly routes: Routes;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Routes of the whole model's inputs. */
  readonly inputRoutes: Routes;
  /** Who comes first of units that are imminent together; lowest first. */
  readonly rank: Int32Array;
  /** Present where a function selects. */
  readonly select: SelectTree | undefined;
}

interface Node {
  readonly name: string;
  readonly path: string;
  readonly model: Component;
  readonly parent: Node | undefined;
  readonly children: Map<string, Node>;
  /** Of a coupled model: couplings by where they begin. */
  readonly from: Map<string, Coupling[]>;
  /** Of an atomic one. */
  readonly unit: number;
}

interface Route {
  readonly target: number;
  readonly port: number;
  readonly map: Translation;
}

/** Checks the model and flattens it. Warnings do not keep it from running. */
export function flatten(model: Component): Checked<FlatModel> {
  const diagnostics: Diagnostic[] = [];
  const report = devsReporter(diagnostics);
  const units: FlatUnit[] = [];
  const root = makeNode("", "", model, undefined, units, report);
  if (root === undefined || hasErrors(diagnostics)) return { diagnostics };
  const nodes = [...leaves(root)];
  const semantics = model.kind === "coupled" ? (model.semantics ?? "parallel") : "parallel";
  const outputs = Object.keys(model.outputs);
  const inputs = Object.keys(model.inputs);
  const outBase = new Int32Array(units.length + 1);
  const rows: Route[][] = [];
  for (const [i, node] of nodes.entries()) {
    for (const port of units[i].outputs) rows.push(follow(node, port, outputs));
    outBase[i + 1] = rows.length;
  }
  const select = selectTree(root);
  const value: FlatModel = {
    name: model.name,
    isAtomic: model.kind === "atomic",
    semantics,
    units,
    outBase,
    routes: pack(rows),
    inputs,
    outputs,
    inputRoutes: pack(inputs.map((port) => enter(root, port, undefined))),
    rank: ranks(select, units.length),
    select: usesFunction(select) ? select : undefined,
  };
  reportZeroDelayCycles(value, report);
  return { value, diagnostics };
}

function makeNode(
  name: string,
  path: string,
  model: Component,
  parent: Node | undefined,
  units: FlatUnit[],
  report: ReportDevs,
): Node | undefined {
  const place = path === "" ? model.name : path;
  const node: Node = {
    name,
    path,
    model,
    parent,
    children: new Map(),
    from: new Map(),
    unit: model.kind === "atomic" ? units.length : -1,
  };
  if (model.kind === "atomic") {
    checkAtomic(model, place, report);
    const inputs = Object.keys(model.inputs);
    units.push({ path: place, model, inputs, outputs: Object.keys(model.outputs) });
    return node;
  }
  for (let above = parent; above !== undefined; above = above.parent) {
    if (above.model !== model) continue;
    report("devs-nests-itself", { name: model.name }, place);
    return undefined;
  }
  checkSemantics(model, parent, place, report);
  for (const [key, component] of Object.entries(model.components)) {
    if (key === "" || key.includes(".") || key !== key.trim())
      report("devs-component-name", { name: key }, place);
    const inner = path === "" ? key : `${path}.${key}`;
    const child = makeNode(key, inner, component, node, units, report);
    if (child !== undefined) node.children.set(key, child);
  }
  checkCouplings(node, model, place, report);
  checkSelect(model, place, report);
  return node;
}

function checkAtomic(model: AtomicModel, place: string, report: ReportDevs): void {
  try {
    copyData(model.initial());
  } catch (error) {
    report("devs-initial-not-data", { what: (error as Error).message }, place);
  }
  const { initialElapsed, minimumDelay } = model;
  if (!(initialElapsed >= 0 && initialElapsed < Number.POSITIVE_INFINITY))
    report("devs-delay", { field: "initialElapsed", value: initialElapsed }, place);
  if (minimumDelay !== undefined && !(minimumDelay >= 0))
    report("devs-delay", { field: "minimumDelay", value: minimumDelay }, place);
}

function checkSemantics(
  { semantics }: CoupledModel,
  parent: Node | undefined,
  place: string,
  report: ReportDevs,
): void {
  if (semantics !== undefined && !SEMANTICS.includes(semantics)) {
    const given = String(semantics);
    report("devs-unknown-semantics", { given, nearest: nearest(given, SEMANTICS) }, place);
    return;
  }
  if (parent === undefined || semantics === undefined) return;
  let root = parent;
  while (root.parent !== undefined) root = root.parent;
  const outer = (root.model as CoupledModel).semantics ?? "parallel";
  if (outer !== semantics) report("devs-semantics", { inner: semantics, outer }, place);
}

function checkSelect(
  { select, components }: CoupledModel,
  place: string,
  report: ReportDevs,
): void {
  if (select === undefined || typeof select === "function") return;
  const names = Object.keys(components);
  const unknown = select.find((name) => !names.includes(name));
  const missing = names.find((name) => !select.includes(name));
  const twice = select.find((name, i) => select.indexOf(name) !== i);
  const reason =
    unknown !== undefined
      ? `names '${unknown}', which is not a component`
      : missing !== undefined
        ? `does not name '${missing}'`
        : twice !== undefined
          ? `names '${twice}' twice`
          : undefined;
  if (reason !== undefined) report("devs-select", { reason, names }, place);
}

/** A port that a coupling names: that of a component, or of the coupled model itself. */
function split(text: string): { readonly component: string | undefined; readonly port: string } {
  const dot = text.indexOf(".");
  return dot < 0
    ? { component: undefined, port: text }
    : { component: text.slice(0, dot), port: text.slice(dot + 1) };
}

function checkCouplings(node: Node, model: CoupledModel, place: string, report: ReportDevs): void {
  for (const coupling of model.couplings) {
    const text = coupling.to === "" ? coupling.from : `${coupling.from} -> ${coupling.to}`;
    if (coupling.from === "" || coupling.to === "") {
      report("devs-coupling-malformed", { text }, place);
      continue;
    }
    const from = split(coupling.from);
    const to = split(coupling.to);
    if (from.component === undefined && to.component === undefined) {
      report("devs-pass-through", { text }, place);
      continue;
    }
    if (from.component !== undefined && from.component === to.component) {
      report("devs-self-coupling", { text, component: from.component }, place);
      continue;
    }
    const known =
      portExists(model, text, { ...from, isSource: true }, place, report) &&
      portExists(model, text, { ...to, isSource: false }, place, report);
    if (!known) continue;
    const same = node.from.get(coupling.from);
    if (same === undefined) node.from.set(coupling.from, [coupling]);
    else same.push(coupling);
  }
}

function portExists(
  model: CoupledModel,
  text: string,
  end: {
    readonly component: string | undefined;
    readonly port: string;
    readonly isSource: boolean;
  },
  place: string,
  report: ReportDevs,
): boolean {
  const { component, port, isSource } = end;
  if (component !== undefined && !Object.hasOwn(model.components, component)) {
    const names = Object.keys(model.components);
    const params = { text, name: component, nearest: nearest(component, names), names };
    report("devs-unknown-component", params, place);
    return false;
  }
  const owner = component === undefined ? model : model.components[component]!;
  // The inputs of the coupled model are sources inside it.
  const direction = isSource === (component !== undefined) ? "output" : "input";
  const ports = direction === "output" ? owner.outputs : owner.inputs;
  if (Object.hasOwn(ports, port)) return true;
  const names = Object.keys(ports);
  report(
    "devs-unknown-port",
    {
      text,
      owner: component === undefined ? "the coupled model" : `'${component}'`,
      port,
      direction,
      nearest: nearest(port, names),
      names,
    },
    place,
  );
  return false;
}

function* leaves(node: Node): Iterable<Node> {
  if (node.unit >= 0) yield node;
  for (const child of node.children.values()) yield* leaves(child);
}

/** All ends of what leaves `node` through `port`. */
function follow(node: Node, port: string, rootOutputs: readonly string[]): Route[] {
  if (node.parent === undefined)
    return [{ target: -1 - rootOutputs.indexOf(port), port: 0, map: undefined }];
  const found: Route[] = [];
  for (const coupling of node.parent.from.get(`${node.name}.${port}`) ?? []) {
    const { component, port: to } = split(coupling.to);
    const ends =
      component === undefined
        ? follow(node.parent, to, rootOutputs)
        : enter(node.parent.children.get(component)!, to, undefined);
    for (const end of ends) found.push({ ...end, map: compose(translation(coupling), end.map) });
  }
  return found;
}

/** All ends inside `node` of what enters it through `port`. */
function enter(node: Node, port: string, map: Translation): Route[] {
  if (node.unit >= 0)
    return [{ target: node.unit, port: Object.keys(node.model.inputs).indexOf(port), map }];
  return (node.from.get(port) ?? []).flatMap((coupling) => {
    const { component, port: to } = split(coupling.to);
    return enter(node.children.get(component!)!, to, compose(map, translation(coupling)));
  });
}

function translation(coupling: Coupling): Translation {
  return coupling.map === undefined ? undefined : (value) => coupling.map!(value);
}

/** First `first`, then `then`; what is absent in between stays absent. */
function compose(first: Translation, then: Translation): Translation {
  if (first === undefined) return then;
  if (then === undefined) return first;
  return (value) => {
    const between = first(value);
    return between === undefined ? undefined : then(between);
  };
}

function pack(rows: readonly (readonly Route[])[]): Routes {
  const all = rows.flat();
  const start = new Int32Array(rows.length + 1);
  for (const [r, row] of rows.entries()) start[r + 1] = start[r] + row.length;
  return {
    start,
    target: Int32Array.from(all, ({ target }) => target),
    port: Int32Array.from(all, ({ port }) => port),
    map: all.map(({ map }) => map),
  };
}

function selectTree(node: Node): SelectTree {
  if (node.unit >= 0) return { unit: node.unit };
  const { select, name } = node.model as CoupledModel;
  const names = [...node.children.keys()];
  const order = typeof select === "object" ? select.map((one) => names.indexOf(one)) : names.keys();
  return {
    path: node.path === "" ? name : node.path,
    names,
    children: [...node.children.values()].map(selectTree),
    choose: typeof select === "function" ? select : undefined,
    order: [...order],
  };
}

function usesFunction(tree: SelectTree): boolean {
  return !("unit" in tree) && (tree.choose !== undefined || tree.children.some(usesFunction));
}

function ranks(tree: SelectTree, count: number): Int32Array {
  const rank = new Int32Array(count);
  let next = 0;
  const visit = (one: SelectTree): void => {
    if ("unit" in one) rank[one.unit] = next++;
    else for (const place of one.order) visit(one.children[place]);
  };
  visit(tree);
  return rank;
}
