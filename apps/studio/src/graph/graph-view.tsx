/**
 * The graph of a scenario: boxes that can be moved and connected, wires, and what can be dropped
 * into it. It draws; what an edit does to the file is said by the document.
 */
import {
  applyNodeChanges,
  Background,
  type Connection,
  Controls,
  MiniMap,
  type NodeChange,
  type OnConnectStartParams,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useUpdateNodeInternals,
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import {
  type DragEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { boxShapes } from "./box-shape.ts";
import { drawnPlaces } from "./drawn-places.ts";
import { connectedInputs, fitPorts } from "./fit.ts";
import { type GraphActions, GraphActionsContext } from "./graph-actions.ts";
import { isLarge, keepPlaces, knownLayout, layoutGraph } from "./layout.ts";
import type { Graph, GraphPort, Layout, Position } from "./model.ts";
import { UnitBox, type UnitData, type UnitNode } from "./unit-box.tsx";
import { Wire, type WireEdge } from "./wire.tsx";
import { WireSheet } from "./wire-sheet.tsx";

export type Selected =
  | { readonly kind: "unit"; readonly unit: string }
  | { readonly kind: "wire"; readonly wire: string }
  | undefined;

export interface GraphViewProps {
  readonly graph: Graph;
  /** Where boxes were when it was last seen; empty: the layout decides. */
  readonly kept: ReadonlyMap<string, Position>;
  /** Changes when something else is shown: another scenario, or another inside. */
  readonly of: string;
  readonly failedUnit: string | undefined;
  readonly selected: Selected;
  readonly isReadOnly: boolean;
  /** Places that undo or redo gave boxes; another object for every time. */
  readonly pushed: ReadonlyMap<string, Position> | undefined;
  select(selected: Selected): void;
  /**
   * Places of all boxes. @param before where those were that a person moved; absent: new boxes got
   * places.
   */
  moved(positions: ReadonlyMap<string, Position>, before?: ReadonlyMap<string, Position>): void;
  enter(unit: string): void;
  connect(from: string, to: string): void;
  /** All at once. */
  remove(units: readonly string[], wires: readonly string[]): void;
  signalOf(port: string): string | undefined;
  dropFile(path: string, place: Position): void;
  say(text: string): void;
}

/** Moves by keys that follow each other faster are one. */
const SETTLED_MS = 350;
const NODE_TYPES = { unit: UnitBox };
const EDGE_TYPES = { wire: Wire };
const PRO = { hideAttribution: true };

export function GraphView(props: GraphViewProps) {
  return (
    <ReactFlowProvider key={props.of}>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow(props: GraphViewProps) {
  const { graph, kept, failedUnit, selected, isReadOnly, select, enter, connect, say } = props;
  const { signalOf } = props;
  const flow = useReactFlow<UnitNode, WireEdge>();
  const updatePorts = useUpdateNodeInternals();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [layout, setLayout] = useState<Layout>();
  const [nodes, setNodes] = useState<UnitNode[]>([]);
  const [drawing, setDrawing] = useState<OnConnectStartParams>();
  const places = useRef(kept);
  const isFitted = useRef(false);
  const isArranged = useRef(false);
  const large = isLarge(graph);
  const shapes = useMemo(() => boxShapes(graph, open), [graph, open]);

  useEffect(() => {
    places.current = kept;
  }, [kept]);

  const arrange = useCallback(
    async (from: ReadonlyMap<string, Position>, isAnew = false) => {
      const begun = performance.now();
      const fresh = await layoutGraph(graph, shapes);
      const drawn = isAnew || from.size > 0 ? undefined : drawnPlaces(graph, shapes);
      const kept = keepPlaces(graph, fresh, drawn ?? from, shapes);
      performance.measure("layout", { start: begun });
      return kept;
    },
    [graph, shapes],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is drawn asks for another layout
  useLayoutEffect(() => {
    let isOld = false;
    const known = knownLayout(graph, places.current);
    const show = (made: Layout): void => {
      if (isOld) return;
      // What is only looked at leaves nothing behind.
      const isFirst = !isArranged.current;
      isArranged.current = true;
      if (!isFirst && [...made.positions.keys()].some((name) => !places.current.has(name)))
        props.moved(made.positions);
      places.current = made.positions;
      setLayout(made);
    };
    if (known === undefined) void arrange(places.current).then(show);
    else show(known);
    return () => {
      isOld = true;
    };
  }, [arrange]);

  useLayoutEffect(() => {
    if (!layout) return;
    setNodes((before) => {
      const drawn = new Map(before.map((node) => [node.id, node]));
      const made = graph.units.flatMap((unit): UnitNode[] => {
        const shape = shapes.get(unit.name);
        const position = places.current.get(unit.name) ?? layout.positions.get(unit.name);
        if (!shape || !position) return [];
        const hasFailed = failedUnit === unit.name;
        const now = drawn.get(unit.name);
        // What is as it was is not drawn again.
        if (now && isDrawn(now, position, { unit, shape, hasFailed, isOneOfMany: large }))
          return [now];
        return [
          {
            id: unit.name,
            type: "unit",
            position,
            width: shape.width,
            height: shape.height,
            selected: now?.selected === true,
            // Without it the box counts as not drawn yet, and its wires vanish for a moment.
            ...(now?.measured === undefined ? {} : { measured: now.measured }),
            ariaLabel: `unit ${unit.name}, ${unit.caption}${unit.problem ? `, ${unit.problem.severity}: ${unit.problem.text}` : ""}`,
            data: { unit, shape, hasFailed, isOneOfMany: large },
          },
        ];
      });
      const isSame = made.length === before.length && made.every((node, i) => node === before[i]);
      return isSame ? before : made;
    });
  }, [layout, graph, shapes, failedUnit, large]);

  // Ports of a box that has changed are where its new shape has them.
  const shaped = useRef(shapes);
  useEffect(() => {
    const before = shaped.current;
    shaped.current = shapes;
    const others = [...shapes].flatMap(([name, shape]) =>
      before.has(name) && before.get(name) !== shape ? [name] : [],
    );
    if (others.length > 0) updatePorts(others);
  }, [shapes, updatePorts]);

  const selectedWire = selected?.kind === "wire" ? selected.wire : undefined;
  const edges = useMemo(
    () =>
      large
        ? []
        : graph.wires.map((wire): WireEdge => {
            const route = layout?.routes.get(wire.id);
            return {
              id: wire.id,
              type: "wire",
              source: wire.from.unit,
              sourceHandle: wire.from.port,
              target: wire.to.unit,
              targetHandle: wire.to.port,
              selected: selectedWire === wire.id,
              ariaLabel: `connection ${wire.about.join(", ")}${wire.problem ? `, ${wire.problem.severity}: ${wire.problem.text}` : ""}`,
              data: { wire, ...(route === undefined ? {} : { route }) },
            };
          }),
    [graph, layout, selectedWire, large],
  );

  /**
   * Where boxes were before the move that goes on: what is described meanwhile does not put them
   * back.
   */
  const moving = useRef(new Map<string, Position>());
  const settled = useRef<ReturnType<typeof setTimeout>>(undefined);
  const changed = (changes: NodeChange<UnitNode>[]): void => {
    setNodes((before) => applyNodeChanges(changes, before));
    for (const change of changes) {
      if (change.type !== "position" || change.position === undefined) continue;
      const was = places.current.get(change.id);
      if (was && !moving.current.has(change.id)) moving.current.set(change.id, was);
      const { x, y } = change.position;
      places.current = new Map(places.current).set(change.id, {
        x: Math.round(x),
        y: Math.round(y),
      });
    }
    // Arrow keys move boxes too, and nobody says when they end.
    if (changes.some((change) => change.type === "position" && change.dragging !== true)) {
      clearTimeout(settled.current);
      settled.current = setTimeout(() => latest.current(), SETTLED_MS);
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: only other places are a reason
  useEffect(() => {
    const { pushed } = props;
    if (pushed === undefined) return;
    const positions = new Map([...places.current, ...pushed]);
    places.current = positions;
    setNodes((before) =>
      before.map((node) => ({ ...node, position: positions.get(node.id) ?? node.position })),
    );
    setLayout((before) => before && withMoved(before, positions, new Set(pushed.keys()), graph));
  }, [props.pushed]);

  // Asked while a wire is drawn: boxes are not drawn again because the graph is another one.
  const now = useRef(graph);
  now.current = graph;
  const portAt = useCallback(
    (unit: string | null, port: string | null | undefined, side: "inputs" | "outputs") =>
      now.current.units
        .find(({ name }) => name === unit)
        ?.[side].find(({ name }: GraphPort) => name === port)?.port,
    [],
  );
  const mayConnect = useCallback(
    ({ source, sourceHandle, target, targetHandle }: Connection | WireEdge) =>
      !connectedInputs(now.current).has(`${target}.${targetHandle}`) &&
      fitPorts(portAt(source, sourceHandle, "outputs"), portAt(target, targetHandle, "inputs"))
        .fits,
    [portAt],
  );

  const actions = useMemo<GraphActions>(
    () => ({
      enter,
      showPorts: (unit) => setOpen((before) => new Set([...before, unit])),
      offered(unit, port, side) {
        if (!drawing || drawing.nodeId === null) return "";
        const isFrom = drawing.handleType === "source";
        if ((side === "in") !== isFrom)
          return unit === drawing.nodeId && port === drawing.handleId ? "" : "unfit";
        const ends = isFrom
          ? {
              source: drawing.nodeId,
              sourceHandle: drawing.handleId,
              target: unit,
              targetHandle: port,
            }
          : {
              source: unit,
              sourceHandle: port,
              target: drawing.nodeId,
              targetHandle: drawing.handleId,
            };
        return mayConnect(ends) ? "offered" : "unfit";
      },
      dragSignal(event, signal) {
        event.dataTransfer.setData("application/x-cosimo-signal", signal);
        event.dataTransfer.effectAllowed = "copy";
      },
      signalOf,
    }),
    [drawing, enter, mayConnect, signalOf],
  );

  function keepMoved(): void {
    clearTimeout(settled.current);
    const before = moving.current;
    moving.current = new Map();
    const moved = new Set(
      [...before].flatMap(([name, was]) => {
        const place = places.current.get(name);
        return place === undefined || (place.x === was.x && place.y === was.y) ? [] : [name];
      }),
    );
    if (moved.size === 0) return;
    const positions = new Map(places.current);
    setLayout((last) => last && withMoved(last, positions, moved, graph));
    props.moved(positions, new Map([...before].filter(([name]) => moved.has(name))));
  }
  const latest = useRef(keepMoved);
  latest.current = keepMoved;

  function drop(event: DragEvent): void {
    const path = event.dataTransfer.getData("application/x-cosimo-file");
    if (path === "" || isReadOnly) return;
    event.preventDefault();
    props.dropFile(path, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }));
  }

  const fit = useCallback(() => {
    // At the right there is room for values.
    const padding = { top: 0.12, bottom: 0.12, left: 0.08, right: "80px" } as const;
    void flow.fitView({ padding, maxZoom: 1.1 });
  }, [flow]);

  useEffect(() => {
    if (isFitted.current || nodes.length === 0) return;
    isFitted.current = true;
    requestAnimationFrame(fit);
  }, [nodes.length, fit]);

  return (
    <GraphActionsContext.Provider value={actions}>
      <ReactFlow<UnitNode, WireEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={changed}
        onNodeDragStop={keepMoved}
        onSelectionChange={({ nodes: units, edges: wires }) => {
          const [unit] = units;
          const [wire] = wires;
          // It is called after every change of the graph, and would go on for ever.
          if (unit) {
            if (selected?.kind !== "unit" || selected.unit !== unit.id)
              select({ kind: "unit", unit: unit.id });
          } else if (wire && selectedWire !== wire.id) select({ kind: "wire", wire: wire.id });
        }}
        onEdgeClick={(_, edge) => select({ kind: "wire", wire: edge.id })}
        onPaneClick={() => select(undefined)}
        onNodeDoubleClick={(_, node) => node.data.unit.isNested && enter(node.id)}
        onConnectStart={(_, from) => setDrawing(from)}
        onConnectEnd={(_, state) => {
          setDrawing(undefined);
          const { fromHandle, toHandle, isValid } = state;
          if (isValid !== false || !fromHandle || !toHandle) return;
          const [source, target] =
            fromHandle.type === "source" ? [fromHandle, toHandle] : [toHandle, fromHandle];
          const fits = fitPorts(
            portAt(source.nodeId, source.id, "outputs"),
            portAt(target.nodeId, target.id, "inputs"),
          );
          say(
            fits.fits
              ? `${target.nodeId}.${target.id} has a source already`
              : `${source.nodeId}.${source.id} does not fit ${target.nodeId}.${target.id}: ${fits.why}`,
          );
        }}
        isValidConnection={mayConnect}
        onConnect={({ source, sourceHandle, target, targetHandle }) =>
          connect(`${source}.${sourceHandle}`, `${target}.${targetHandle}`)
        }
        onDelete={({ nodes: units, edges: wires }) => {
          // Wires of a box go with it.
          const gone = new Set(units.map(({ id }) => id));
          const alone = wires.filter(
            ({ source, target }) => !gone.has(source) && !gone.has(target),
          );
          props.remove(
            [...gone],
            alone.map(({ id }) => id),
          );
        }}
        onBeforeDelete={async () => !isReadOnly}
        onDragOver={(event) => event.preventDefault()}
        onDrop={drop}
        nodesConnectable={!isReadOnly}
        deleteKeyCode={["Delete", "Backspace"]}
        onlyRenderVisibleElements={large}
        minZoom={0.02}
        maxZoom={2.5}
        proOptions={PRO}
        panOnScroll={false}
        zoomOnDoubleClick={false}
        elementsSelectable
        nodesFocusable
        edgesFocusable
        connectionRadius={18}
        autoPanOnConnect={large}
        aria-label="graph of the scenario"
      >
        <Background gap={20} />
        <Controls showInteractive={false} onFitView={fit} />
        {!large && graph.units.length > 14 && <MiniMap pannable zoomable ariaLabel="overview" />}
        {large && layout && (
          <WireSheet
            graph={graph}
            shapes={shapes}
            positions={layout.positions}
            selected={selected?.kind === "unit" ? selected.unit : undefined}
          />
        )}
        <Arrows />
      </ReactFlow>
      <button
        type="button"
        className="arrange"
        title="arrange all boxes again"
        onClick={() => {
          void arrange(new Map(), true).then((made) => {
            const before = places.current;
            places.current = made.positions;
            setLayout(made);
            props.moved(made.positions, before);
            requestAnimationFrame(fit);
          });
        }}
      >
        Arrange
      </button>
    </GraphActionsContext.Provider>
  );
}

function isDrawn({ position, data }: UnitNode, { x, y }: Position, wanted: UnitData): boolean {
  return (
    position.x === x &&
    position.y === y &&
    data.unit === wanted.unit &&
    data.shape === wanted.shape &&
    data.hasFailed === wanted.hasFailed &&
    data.isOneOfMany === wanted.isOneOfMany
  );
}

/** Routes of wires that end at boxes which moved are of no use any more. */
function withMoved(
  { routes }: Layout,
  positions: ReadonlyMap<string, Position>,
  moved: ReadonlySet<string>,
  graph: Graph,
): Layout {
  const ends = new Map(graph.wires.map(({ id, from, to }) => [id, [from.unit, to.unit]]));
  const kept = [...routes].filter(([id]) => ends.get(id)?.every((unit) => !moved.has(unit)));
  return { positions, routes: new Map(kept) };
}

/** Heads of the wires; their colour is that of the line. */
function Arrows() {
  return (
    <svg className="arrows" aria-hidden="true">
      <defs>
        <marker
          id="arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path d="M0 0 8 4 0 8z" fill="context-stroke" />
        </marker>
      </defs>
    </svg>
  );
}
