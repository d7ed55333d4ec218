/**
 * What the studio answers, one row per request of protocol.ts.
 */
import { statSync } from "node:fs";
import { scenarioInFolder } from "../host/scenario-path.ts";
import type { Trust } from "../host/trust.ts";
import { editScenarioText } from "../lang/scenario/edit/edit-text.ts";
import { describeScenario } from "./describe.ts";
import { etagOf, type StudioFolder } from "./folder.ts";
import { type ApiRequest, json, MAX_FILE_BYTES, type Route } from "./http.ts";
import { KeptFmus } from "./kept-fmus.ts";
import { plotRoutes } from "./plot-routes.ts";
import type { PlotSources } from "./plot-sources.ts";
import { RequestRefused } from "./problem.ts";
import type {
  Described,
  DescribeRequest,
  EditAnswer,
  EditRequest,
  FaultRequest,
  Layout,
  RunRequest,
  SaveRequest,
  SetRequest,
  StabilityRequest,
  StepRequest,
} from "./protocol.ts";
import type { RunBook } from "./runs.ts";
import type { StudioServices } from "./services.ts";
import type { StabilityBook } from "./stability-jobs.ts";
import { traceTarget } from "./trace-target.ts";

export interface Studio {
  readonly folder: StudioFolder;
  readonly services: StudioServices;
  readonly trust: Trust;
  readonly runs: RunBook;
  readonly sources: PlotSources;
  readonly stability: StabilityBook;
}

export function studioRoutes(studio: Studio): Route[] {
  return [
    ...fileRoutes(studio),
    ...scenarioRoutes(studio),
    ...runRoutes(studio),
    ...plotRoutes(studio),
  ];
}

const NO_LAYOUT: Layout = { version: 1, units: {} };

function fileRoutes({ folder, services }: Studio): Route[] {
  return [
    { method: "GET", path: "/api/files", answer: () => json(folder.tree()) },
    {
      method: "GET",
      path: "/api/file",
      answer: (request) => {
        const { bytes, etag } = folder.read(pathOf(request));
        const headers = { etag, "content-type": "application/octet-stream" };
        return { bytes, headers };
      },
    },
    {
      method: "PUT",
      path: "/api/file",
      maxBytes: MAX_FILE_BYTES,
      answer: async (request) => {
        const path = pathOf(request);
        // Refused before the body is read.
        folder.resolve(path);
        const expected = conditionOf(request, path);
        return json(folder.write(path, await request.bytes(), expected));
      },
    },
    {
      method: "DELETE",
      path: "/api/file",
      answer: (request) => {
        const path = pathOf(request);
        folder.remove(path, conditionOf(request, path));
        return { status: 204 };
      },
    },
    {
      method: "GET",
      path: "/api/info",
      answer: (request) => {
        const path = pathOf(request);
        return json({ path, ...services.fmuPage(folder.existing(path)) });
      },
    },
    {
      method: "GET",
      path: "/api/layout",
      answer: (request) => {
        const path = pathOf(request);
        return json(storedLayout(folder, layoutOf(path)) ?? olderLayout(folder, path) ?? NO_LAYOUT);
      },
    },
    {
      method: "PUT",
      path: "/api/layout",
      answer: async (request) => {
        const path = layoutOf(pathOf(request));
        const layout = await request.json<Layout>();
        if (!isLayout(layout))
          throw new RequestRefused(
            "request-wrong",
            "a layout has 'version: 1' and 'units' with x, y",
          );
        const text = Buffer.from(`${JSON.stringify(layout, undefined, 1)}\n`);
        const now = etagIfThere(folder, path);
        return json(folder.write(path, text, now ?? "*"));
      },
    },
    {
      method: "GET",
      path: "/api/library",
      answer: async () => {
        const { adaptationLibrary } = await import("./library.ts");
        return json(adaptationLibrary());
      },
    },
  ];
}

/**
 * Beside the scenario: `scenario.yaml` has `scenario.layout.json`, and any other ending stays:
 * `scenario.ssp.layout.json`.
 */
function layoutOf(path: string): string {
  return `${path.replace(/\.yaml$/i, "")}.layout.json`;
}

/** As it was named before endings stayed, where it can be of no other file. */
function olderLayout(folder: StudioFolder, path: string): Layout | undefined {
  const base = path.replace(/\.[^./]+$/, "");
  const isOthers =
    statSync(folder.resolve(`${base}.yaml`), { throwIfNoEntry: false }) !== undefined;
  return isOthers ? undefined : storedLayout(folder, `${base}.layout.json`);
}

/** One that is damaged is as none: the page makes another. */
function storedLayout(folder: StudioFolder, path: string): Layout | undefined {
  try {
    const found: unknown = JSON.parse(folder.read(path).bytes.toString("utf8"));
    return isLayout(found) ? found : undefined;
  } catch (error) {
    const isMissing = error instanceof RequestRefused && error.problem.code === "file-missing";
    if (isMissing || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isLayout(value: unknown): value is Layout {
  const { version, units } = (value ?? {}) as Partial<Layout>;
  return (
    version === 1 &&
    typeof units === "object" &&
    units !== null &&
    Object.values(units).every((place) => Number.isFinite(place?.x) && Number.isFinite(place?.y))
  );
}

function etagIfThere(folder: StudioFolder, path: string): string | undefined {
  const stats = statSync(folder.resolve(path), { throwIfNoEntry: false });
  return stats === undefined ? undefined : etagOf(folder.read(path).bytes);
}

function pathOf({ url }: ApiRequest): string {
  const path = url.searchParams.get("path");
  if (path === null || path === "")
    throw new RequestRefused("request-wrong", "the request names no file (?path=)");
  return path;
}

function conditionOf({ headers }: ApiRequest, path: string): string {
  const expected = headers["if-match"] ?? (headers["if-none-match"] === "*" ? "*" : undefined);
  if (expected === undefined) throw new RequestRefused("file-condition", path);
  return expected;
}

function scenarioRoutes(studio: Studio): Route[] {
  const { folder, trust, stability } = studio;
  const around = { trust, shown: (path: string) => folder.shown(path), fmus: new KeptFmus() };
  const describe = (request: DescribeRequest): Promise<Described> => {
    if (typeof request?.path !== "string")
      throw new RequestRefused("request-wrong", "the request names no scenario ('path')");
    const given =
      request.text === undefined ? folder.existing(request.path) : folder.resolve(request.path);
    const file = scenarioInFolder(given) ?? given;
    return describeScenario(file, request, around);
  };
  return [
    {
      method: "GET",
      path: "/api/describe",
      answer: async (request) => json(await describe({ path: pathOf(request) })),
    },
    {
      method: "POST",
      path: "/api/describe",
      answer: async (request) => json(await describe(await request.json<DescribeRequest>())),
    },
    {
      method: "POST",
      path: "/api/edit",
      answer: async (request) => {
        const { path, text, edit } = await request.json<EditRequest>();
        if (typeof text !== "string" || typeof edit?.kind !== "string")
          throw new RequestRefused("request-wrong", "an edit has 'path', 'text' and 'edit'");
        folder.resolve(path);
        const edited = editScenarioText(text, edit);
        const described = await describe({ path, text: edited.text });
        const answer: EditAnswer = { ...edited, described };
        return json(answer);
      },
    },
    {
      method: "POST",
      path: "/api/stability",
      answer: async (request) => json(stability.start(await request.json<StabilityRequest>())),
    },
    {
      method: "GET",
      path: "/api/stability/*",
      answer: ({ parts }) => json(stability.find(parts[0] ?? "")),
    },
    {
      method: "POST",
      path: "/api/stability/*/stop",
      answer: ({ parts }) => json(stability.stop(parts[0] ?? "")),
    },
  ];
}

function runRoutes({ folder, runs }: Studio): Route[] {
  const act = (
    name: string,
    action: (run: ReturnType<RunBook["find"]>, request: ApiRequest) => void | Promise<void>,
  ): Route => ({
    method: "POST",
    path: `/api/runs/*/${name}`,
    answer: async (request) => {
      const run = runs.find(request.parts[0] ?? "");
      await action(run, request);
      return json(run.info());
    },
  });
  return [
    {
      method: "POST",
      path: "/api/runs",
      answer: async (request) => {
        const asked = await request.json<RunRequest>();
        if (typeof asked?.path !== "string")
          throw new RequestRefused("request-wrong", "the request names no model ('path')");
        return json(runs.start(asked).info(), 201);
      },
    },
    { method: "GET", path: "/api/runs", answer: () => json(runs.all().map((run) => run.info())) },
    {
      method: "GET",
      path: "/api/runs/*",
      answer: ({ parts }) => json(runs.find(parts[0] ?? "").info()),
    },
    {
      method: "DELETE",
      path: "/api/runs/*",
      answer: ({ parts }) => {
        runs.forget(parts[0] ?? "");
        return { status: 204 };
      },
    },
    act("pause", (run) => run.pause(true)),
    act("resume", (run) => run.pause(false)),
    act("stop", (run) => run.stop()),
    act("step", async (run, request) => run.step((await request.json<StepRequest>()).steps ?? 1)),
    act("set", async (run, request) => run.set((await request.json<SetRequest>()).set)),
    {
      method: "POST",
      path: "/api/runs/*/fault",
      answer: async (request) => {
        const { fault } = await request.json<FaultRequest>();
        return json(runs.inject(request.parts[0] ?? "", fault).info(), 201);
      },
    },
    {
      method: "POST",
      path: "/api/runs/*/save",
      answer: async (request) => {
        const { path } = await request.json<SaveRequest>();
        const run = runs.find(request.parts[0] ?? "");
        await run.save(traceTarget(folder, path, request.headers["if-match"] ?? "*"));
        return json({ path, etag: etagOf(folder.read(path).bytes) });
      },
    },
  ];
}
