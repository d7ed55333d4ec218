/**
 * Builds the fixture FMUs: `npm run fixtures`.
 *
 * Why a script of our own: every model is one C source and one description, and becomes an FMI 2.0
 * and an FMI 3.0 FMU without any tool but a C compiler. An FMU is built again only when something
 * that it is made of changed.
 */

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { zipSync } from "fflate";
import { generatedHeader, generatedSource } from "../fixtures/tools/c-source.mjs";
import { buildDescriptionXml, descriptionXml } from "../fixtures/tools/description-xml.mjs";
import { readModel } from "../fixtures/tools/model.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MODELS = join(ROOT, "fixtures", "fmus");
const BUILD = join(ROOT, "fixtures", "build");
const STAMPS = join(BUILD, "stamps.json");
/** Of this process alone: two builds at the same time must not meet. */
const WORK = join(BUILD, `work-${process.pid}`);
const TOOLS = [
  "fixtures/tools/c-source.mjs",
  "fixtures/tools/description-xml.mjs",
  "fixtures/tools/model.mjs",
  "scripts/fixtures.mjs",
];

const PLATFORM = {
  linux: { fmi2: "linux64", fmi3: "linux", suffix: ".so" },
  darwin: { fmi2: "darwin64", fmi3: "darwin", suffix: ".dylib" },
  win32: { fmi2: "win64", fmi3: "windows", suffix: ".dll" },
}[process.platform];
const ARCHITECTURE = { x64: "x86_64", arm64: "aarch64", ia32: "x86" }[process.arch] ?? process.arch;
const FLAGS = [
  "-std=gnu11",
  "-O2",
  "-shared",
  "-fvisibility=hidden",
  "-ffp-contract=off",
  "-Wall",
  "-Wextra",
  // Functions of a model have the parameters that all models need.
  "-Wno-unused-parameter",
  "-Werror",
];

/**
 * Builds what changed.
 * @param only whether the FMU `fmi2/BouncingBall.fmu` is wanted; default: all are.
 * @param onBuilt hears how many of how many are built.
 * @returns the FMUs that were built and the number that were up to date.
 * @throws Error with one line when there is no C compiler, or with the compiler's message when it
 * fails.
 */
export async function buildFixtures({ quiet = false, only = () => true, onBuilt = () => {} } = {}) {
  const jobs = [...modelJobs(), ...slaveJobs(), ...gotchaJobs(), otherVersionJob()];
  const stamps = readStamps();
  let due = jobs.filter(
    (job) => only(job.out) && (stamps[job.out] !== job.hash || !existsSync(join(BUILD, job.out))),
  );
  for (const old of Object.keys(stamps).filter((out) => !jobs.some((job) => job.out === out))) {
    rmSync(join(BUILD, old), { force: true });
    delete stamps[old];
  }
  const cxx = due.some((job) => job.cxx) ? findCxxCompiler() : undefined;
  const missing = cxx === undefined ? due.filter((job) => job.cxx) : [];
  if (missing.length > 0) {
    due = due.filter((job) => !job.cxx);
    console.warn(
      `fixtures: no C++ compiler found, so ${missing.map(({ out }) => out).join(", ")} cannot be built`,
    );
  }
  if (due.length > 0) {
    const compiler = findCompiler();
    mkdirSync(BUILD, { recursive: true });
    try {
      let built = 0;
      onBuilt(built, due.length);
      await inParallel(due, async (job) => {
        await buildFmu(job, { ...compiler, cxx });
        stamps[job.out] = job.hash;
        onBuilt(++built, due.length);
        if (!quiet) console.log(`built fixtures/build/${job.out}`);
      });
    } finally {
      rmSync(WORK, { recursive: true, force: true });
      replaceFile(STAMPS, JSON.stringify(stamps, null, 1));
    }
  }
  const upToDate = jobs.length - due.length - missing.length;
  if (!quiet) console.log(`fixtures: ${due.length} built, ${upToDate} up to date`);
  return { built: due.map((job) => join(BUILD, job.out)), upToDate };
}

/** Models that are built for FMI 1.0, too. */
const SLAVES = [
  "Dahlquist",
  "VanDerPol",
  "Feedthrough",
  "BouncingBall",
  "MassSpringDamperLeft",
  "MassSpringDamperRight",
  "Misbehaving",
];

/** The same for Model Exchange, which is another standard in FMI 1.0. */
const EXCHANGES = [
  "ExchangeBall",
  "ExchangeFeed",
  "ExchangeRelay",
  "ExchangeSampler",
  "ExchangeVanDerPol",
];

/** One job for every model folder and version. */
function* modelJobs() {
  const shared = contentOf([...TOOLS, "fixtures/fmus/include", "fixtures/fmus/shared"]);
  for (const folder of readdirSync(MODELS, { withFileTypes: true })) {
    if (!existsSync(join(MODELS, folder.name, "model.json"))) continue;
    const model = readModel(join(MODELS, folder.name));
    const { platforms, flags, libraries, binaryOnly } = model.written;
    if (platforms && !platforms.includes(process.platform)) continue;
    const home = model.written.extends ?? folder.name;
    const own = contentOf([`fixtures/fmus/${home}`]);
    for (const version of model.versions) {
      yield job({
        out: `fmi${version}/${model.name}.fmu`,
        model,
        version,
        source: join(MODELS, home, "model.c"),
        beside: readdirSync(join(MODELS, home)).filter((name) => /\.[ch]$/.test(name)),
        ...(flags ? { defines: flags } : {}),
        ...(libraries ? { libraries } : {}),
        ...(binaryOnly ? { binaryOnly } : {}),
        content: [shared, own, JSON.stringify(model.written)],
      });
    }
  }
}

/** Models that FMI 1.0 has as well: their FMI 2.0 code, behind the functions of FMI 1.0. */
function* slaveJobs() {
  const shared = contentOf([
    ...TOOLS,
    "fixtures/fmus/include",
    "fixtures/fmus/shared",
    "fixtures/fmus/fmi1",
  ]);
  for (const name of [...SLAVES, ...EXCHANGES]) {
    const model = readModel(join(MODELS, name));
    const home = model.written.extends ?? name;
    yield job({
      out: `fmi1/${model.name}.fmu`,
      model,
      version: 2,
      fmi1: EXCHANGES.includes(name) ? "exchange1.c" : "fmi1.c",
      source: join(MODELS, home, "model.c"),
      beside: readdirSync(join(MODELS, home)).filter((file) => /\.[ch]$/.test(file)),
      defines: [...(model.written.flags ?? []), `-DMODEL_IDENTIFIER=${model.identifier}`],
      content: [
        "identifier",
        shared,
        contentOf([`fixtures/fmus/${home}`]),
        JSON.stringify(model.written),
      ],
      binaryOnly: true,
    });
  }
}

/** Dahlquist, or the model `of`, with one oddity each, as FMUs in the wild have them. */
function* gotchaJobs() {
  const folder = join(MODELS, "gotchas");
  const content = contentOf([
    ...TOOLS,
    "fixtures/fmus/include",
    "fixtures/fmus/shared",
    "fixtures/fmus/Dahlquist",
    ...["Feedthrough", "Stair", "MassSpringDamperLeft"].map((name) => `fixtures/fmus/${name}`),
  ]);
  const own = contentOf(["fixtures/fmus/gotchas"]);
  const plain = { directional: false, adjoint: false, outputDerivatives: 0 };
  const dahlquist = { "dahlquist.c": join(MODELS, "Dahlquist", "model.c") };
  for (const [name, gotcha] of Object.entries(readJson(join(folder, "gotchas.json")))) {
    const { description, capabilities, defines = [], wraps, versions = [2, 3], ...more } = gotcha;
    if (more.platforms && !more.platforms.includes(process.platform)) continue;
    const { of, interfaces = ["CoSimulation"], ...rest } = more;
    const overrides = {
      name,
      description,
      interfaces,
      ...(of === undefined && { capabilities: { ...plain, ...capabilities } }),
    };
    for (const version of versions) {
      yield job({
        ...rest,
        out: `gotchas/fmi${version}/${name}.fmu`,
        model: readModel(join(MODELS, of ?? "Dahlquist"), overrides),
        version,
        source: join(folder, of === undefined ? "model.c" : "other.c"),
        extra: {
          ...(of === undefined ? dahlquist : { "base.c": join(MODELS, of, "model.c") }),
          ...(wraps && { "calls.c": join(folder, "calls.c") }),
        },
        defines: [`-DGOTCHA_${name}`, ...defines, ...wrapping(wraps, version)],
        content: [content, own],
        binaryOnly: true,
      });
    }
  }
}

/** The functions of the interface that calls.c takes the place of get another name. */
function wrapping(wraps, version) {
  if (wraps === undefined) return [];
  const names = wraps.map((name) => `fmi${version}${name}`);
  return ["-DGOTCHA_CALLS", ...names.map((name) => `-D${name}=wrapped_${name}`)];
}

/** A description of a version that does not exist, to be refused. */
function otherVersionJob() {
  const description = readFileSync(join(MODELS, "gotchas", "other-version.xml"), "utf8");
  return job({
    out: "gotchas/OtherVersion.fmu",
    files: { "modelDescription.xml": description },
    content: [description],
  });
}

function job(parts) {
  const about = [process.platform, process.arch, process.env.CC ?? "", ...FLAGS, ...parts.content];
  const hash = createHash("sha256").update(about.join("\0")).digest("hex");
  return { defines: [], libraries: ["-lm"], ...parts, hash };
}

/** The bytes of all C, JSON and script files below some paths, in a fixed order. */
function contentOf(paths) {
  return paths
    .flatMap((path) => filesBelow(join(ROOT, path)))
    .filter((file) => /\.(c|cpp|h|json|mjs)$/.test(file))
    .map((file) => `${file.slice(ROOT.length)}\n${readFileSync(file, "utf8")}`)
    .join("\0");
}

function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (/\.[a-z]+$/.test(basename(path))) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function readStamps() {
  try {
    return readJson(STAMPS);
  } catch {
    return {};
  }
}

function findCompiler() {
  const candidates = process.env.CC ? [process.env.CC] : ["cc", "gcc", "clang"];
  const found = firstThatRuns(candidates);
  if (found !== undefined) return found;
  throw new Error(
    `no C compiler found (${candidates[0]}): install gcc or clang, or name one in $CC`,
  );
}

/** Only few fixtures need it: without one the others are built all the same. */
function findCxxCompiler() {
  return firstThatRuns(process.env.CXX ? [process.env.CXX] : ["c++", "g++", "clang++"]);
}

function firstThatRuns(candidates) {
  for (const candidate of candidates) {
    const [command, ...extra] = candidate.split(" ");
    const { status } = spawnSync(command, [...extra, "--version"], { stdio: "ignore" });
    if (status === 0) return { command, extra };
  }
  return undefined;
}

async function inParallel(jobs, run) {
  const queue = [...jobs];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
}

async function buildFmu(job, compiler) {
  if (job.files) {
    writeFmu(join(BUILD, job.out), job.files);
    return;
  }
  const { model, version } = job;
  const work = join(WORK, job.out.replace(/\.fmu$/, ""));
  mkdirSync(work, { recursive: true });
  const sources = sourcesOf(job);
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(work, name), text);
  const units = Object.keys(sources).filter((name) => name.endsWith(".c") && !job.extra?.[name]);
  const library = (job.binaryName ?? model.identifier) + PLATFORM.suffix;
  const helper = job.helper ? await compileHelper(compiler, work) : undefined;
  const libraries = helper ? [helper, ...job.libraries] : job.libraries;
  if (job.cxx) await compileWithCxx(compiler, work, job, units, library);
  else await compile(compiler, work, [...job.defines, ...units, "-o", library, ...libraries]);
  const resources = Object.entries(job.resources ?? {}).map(([name, text]) => [
    `resources/${name}`,
    text,
  ]);
  const binaries = [library, helper]
    .filter(Boolean)
    .map((name) => [`binaries/${platformFolder(version)}/${name}`, readFileSync(join(work, name))]);
  writeFmu(join(BUILD, job.out), {
    "modelDescription.xml": descriptionXml(model, job.fmi1 ? 1 : version),
    ...Object.fromEntries([...binaries, ...resources]),
    ...(version === 3 && !job.binaryOnly ? sourceFolder(model, sources, units) : {}),
  });
}

/**
 * A shared library that the FMU's binary depends on; the FMU finds it only if the importer helps.
 */
async function compileHelper(compiler, work) {
  const name = `libcosimo_helper${PLATFORM.suffix}`;
  const soname = process.platform === "linux" ? [`-Wl,-soname,${name}`] : [];
  await compile(compiler, work, [join(MODELS, "gotchas", "helper.c"), "-o", name, ...soname]);
  return name;
}

/** C stays C; cxx.cpp is linked to it by the compiler that knows its libraries. */
async function compileWithCxx(compiler, work, job, units, library) {
  await compile(compiler, work, [...job.defines, "-c", ...units]);
  const objects = units.map((name) => name.replace(/\.c$/, ".o"));
  const source = join(MODELS, "gotchas", "cxx.cpp");
  // Templates of the C++ library have default visibility as in most FMUs: they are exported, and so
  // are those of Node.
  const flags = ["-std=c++17", "-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"];
  const rest = [...job.defines, source, ...objects, "-o", library, ...job.libraries];
  await execute(compiler.cxx, work, [...flags, ...rest]);
}

/** File name → text of all that is compiled. */
function sourcesOf({ model, version, source, fmi1, beside = [], extra = {} }) {
  const other = `fmi${5 - version}`;
  const shared = readdirSync(join(MODELS, "shared")).filter((name) => !name.startsWith(other));
  return {
    ...Object.fromEntries(
      shared.map((name) => [name, readFileSync(join(MODELS, "shared", name), "utf8")]),
    ),
    [`fmi${version}.h`]: readFileSync(join(MODELS, "include", `fmi${version}.h`), "utf8"),
    "generated.h": generatedHeader(model, version),
    "generated.c": generatedSource(model, version),
    "model.c": readFileSync(source, "utf8"),
    ...Object.fromEntries(
      (fmi1 ? ["common.h", fmi1] : []).map((name) => [
        name,
        readFileSync(join(MODELS, "fmi1", name), "utf8"),
      ]),
    ),
    ...Object.fromEntries(
      beside.map((name) => [name, readFileSync(join(dirname(source), name), "utf8")]),
    ),
    ...Object.fromEntries(
      Object.entries(extra).map(([name, path]) => [name, readFileSync(path, "utf8")]),
    ),
  };
}

function sourceFolder(model, sources, units) {
  const files = Object.entries(sources).map(([name, text]) => [`sources/${name}`, text]);
  return {
    ...Object.fromEntries(files),
    "sources/buildDescription.xml": buildDescriptionXml(model, units),
  };
}

function platformFolder(version) {
  if (version === 3) return `${ARCHITECTURE}-${PLATFORM.fmi3}`;
  return ARCHITECTURE === "x86_64" || process.platform === "darwin"
    ? PLATFORM.fmi2
    : `${ARCHITECTURE}-${PLATFORM.fmi3}`;
}

function compile(compiler, cwd, rest) {
  const position = process.platform === "win32" ? [] : ["-fPIC"];
  return execute(compiler, cwd, [...FLAGS, ...position, ...rest]);
}

function execute({ command, extra }, cwd, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...extra, ...args], { cwd, stdio: ["ignore", "ignore", "pipe"] });
    let text = "";
    child.stderr.on("data", (chunk) => {
      text += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} failed in ${cwd.slice(ROOT.length)}:\n${text}`));
    });
  });
}

/** Always the same bytes for the same files: sorted entries, one fixed time. */
function writeFmu(path, files) {
  const mtime = new Date(2020, 0, 1);
  const encoder = new TextEncoder();
  const entries = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, content]) => [
      name,
      typeof content === "string" ? encoder.encode(content) : content,
    ]);
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, zipSync(Object.fromEntries(entries), { mtime, level: 6 }));
}

/** Readers see the old file or the new one, never half of it. */
function replaceFile(path, content) {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, content);
  renameSync(fresh, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildFixtures({ quiet: process.argv.includes("--quiet") });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
