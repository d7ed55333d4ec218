/**
 * `cosimo node`: offers units to runs on other computers. Descriptions travel, binaries stay.
 */
import { availableParallelism, hostname } from "node:os";
import { DiagnosticsError } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { NodeHost } from "../../host/network/node-host.ts";
import { offersIn } from "../../host/network/offers.ts";
import { networkDiagnostic } from "../../host/network/remote-units.ts";
import { userTrust } from "../../host/trust.ts";
import { isToken, type NetworkSettings } from "../../platform/nats/network-settings.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import {
  type Command,
  type ExitCode,
  type ParsedArguments,
  TRUST,
  UsageError,
} from "../command.ts";
import { counted } from "../findings.ts";
import { forgetNetwork, NETWORK_OPTIONS, requiredNetwork } from "../network-options.ts";
import { print, printError, printJson } from "../terminal.ts";
import { VERSION } from "../version.ts";

export const nodeCommand: Command = {
  name: "node",
  summary: "Offer units, or work on studies, for other computers, through a NATS server.",
  usage: "cosimo node (--offer <file>... --name <name> | --work) --server <url> [options]",
  details:
    "Scenarios use what is offered with 'motor: { remote: supplier-a/motor }'. Descriptions of units travel, their files stay\n" +
    "here. Every run that uses the node gets a process of its own. SIGINT and SIGTERM end the node; the exit code is 0 then.\n" +
    "\n" +
    "With --work the node makes runs of studies that others start with 'cosimo study --workers <url>'. Their scenarios and FMUs are\n" +
    "fetched, and FMUs are programs: name the identities whose studies are run with --allow, or use --untrusted. Runs that a node has\n" +
    "not finished when it ends are made by others.",
  arguments: [],
  options: {
    "--offer <file>...":
      "a unit: an FMU, scenario, adaptation, state machine, table or module (repeatable)\nmotor.fmu is offered as 'motor', plant/scenario.yaml as 'plant', drive=motor.fmu as 'drive'",
    "--work": "make runs of studies in place of offering units",
    "--jobs <n>": "with --work: how many runs are made at a time (default: one per core)",
    "--untrusted":
      "with --work: put every unit into a sandbox; it has no network and no files but its own",
    "--name <name>":
      "name of the node; in a project every node has its own (default with --work: the computer and the process)",
    "--allow <identity>...":
      "serve this caller and no others but those that are named (repeatable; default: whom the server lets in)",
    "--max-runs <n>": "how many runs may use the node at once (default: 64)",
    ...NETWORK_OPTIONS,
    ...TRUST,
    "--json": "print what is offered as JSON, when the node is ready",
  },
  examples: {
    "cosimo node --offer motor.fmu --offer plant/scenario.yaml --name supplier-a --server nats://localhost:4222":
      "two units for every user whom the server lets in",
    "cosimo node --offer motor.fmu --name supplier-a --server tls://nats.example.org --creds node.creds --allow oem":
      "with credentials and TLS, for one customer",
    "cosimo node --work --allow lab --server nats://localhost:4222":
      "make runs of the studies of 'lab' on all cores",
  },
  async run(args) {
    const settings = requiredNetwork(args);
    if (args.has("work")) return workOnStudies(args, settings);
    for (const name of ["jobs", "untrusted"])
      if (args.has(name)) throw new UsageError(`--${name} goes with --work`, "omit it");
    const [name, offers] = [args.one("name"), args.all("offer")];
    if (name === undefined) throw new UsageError("--name is missing", "for instance --name lab-1");
    if (offers.length === 0)
      throw new UsageError("--offer is missing", "for instance --offer motor.fmu");
    const temp = createTempFolder();
    try {
      const host = await NodeHost.start({
        name,
        offers: offersIn(offers),
        settings,
        trust: userTrust(args.has("trust")),
        folder: temp.path,
        version: VERSION,
        log: (line) => printError(`${new Date().toISOString()} ${line}`),
        ...present({ allow: allowed(args), maxSessions: maxRuns(args) }),
      });
      const where = settings.servers.join(", ");
      if (args.has("json"))
        printJson({ node: name, project: settings.project, server: where, offers: host.facts });
      else
        print(
          [
            `${name} offers ${counted(offers.length, "unit")} at ${where} (project ${settings.project}):`,
            ...host.facts.map(
              (offer) =>
                `  ${offer.name}: ${offer.kind} '${offer.model}', ${counted(offer.inputs, "input")}, ${counted(offer.outputs, "output")}`,
            ),
          ].join("\n"),
        );
      await untilStopped();
      await host.close();
      return 0;
    } catch (error) {
      const found = networkDiagnostic(error, { file: name });
      throw found === undefined ? error : new DiagnosticsError([found]);
    } finally {
      temp.remove();
    }
  },
};

async function workOnStudies(args: ParsedArguments, settings: NetworkSettings): Promise<ExitCode> {
  for (const other of ["offer", "max-runs", "trust"])
    if (args.has(other))
      throw new UsageError(
        `--${other} does not go with --work`,
        "start a second node for what is offered; modules are never fetched",
      );
  const name =
    args.one("name") ??
    `${hostname()
      .replace(/[^\w-]/g, "-")
      .slice(0, 40)}-${process.pid}`;
  if (!isToken(name))
    throw new UsageError(
      `'${name}' cannot be the name of a node`,
      "use letters, digits, '-' and '_': --name lab-1",
    );
  const jobs = args.positive("jobs") ?? availableParallelism();
  if (!Number.isInteger(jobs)) throw new UsageError("--jobs wants a whole number", "--jobs 2");
  const allow = allowed(args);
  const isUntrusted = args.has("untrusted");
  const temp = createTempFolder();
  try {
    const { WorkNode } = await import("../study/work-node.ts");
    const node = await WorkNode.start({
      name,
      settings,
      allow,
      jobs,
      folder: temp.path,
      version: VERSION,
      isolation: isUntrusted ? { kind: "sandbox", isForced: true } : undefined,
      log: (line) => printError(`${new Date().toISOString()} ${line}`),
    });
    forgetNetwork();
    const where = settings.servers.join(", ");
    const whose = allow === undefined ? "all users" : [...allow].join(", ");
    if (args.has("json"))
      printJson({ node: name, project: settings.project, server: where, jobs, for: whose });
    else
      print(
        `${name} works on studies of ${whose} at ${where} (project ${settings.project}), ${counted(jobs, "run")} at a time`,
      );
    if (allow === undefined && !isUntrusted)
      printError(
        "cosimo: FMUs of every user whom the server lets in will run with your rights; name whom you trust with --allow, or use --untrusted",
      );
    await untilStopped();
    await node.close();
    return 0;
  } catch (error) {
    const found = networkDiagnostic(error, { file: name });
    throw found === undefined ? error : new DiagnosticsError([found]);
  } finally {
    temp.remove();
  }
}

function allowed(args: ParsedArguments): ReadonlySet<string> | undefined {
  const names = args.all("allow");
  const wrong = names.find((name) => !isToken(name));
  if (wrong !== undefined)
    throw new UsageError(
      `'${wrong}' cannot be an identity`,
      "use letters, digits, '-' and '_': --allow oem",
    );
  return names.length === 0 ? undefined : new Set(names);
}

function maxRuns(args: ParsedArguments): number | undefined {
  const value = args.positive("max-runs");
  if (value === undefined || Number.isInteger(value)) return value;
  throw new UsageError("--max-runs wants a whole number", "for instance --max-runs 8");
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => resolve());
  });
}
