/**
 * Options of commands that leave the machine. They are the settings of the environment under other
 * names, and go before it.
 */
import {
  NETWORK_VARIABLES,
  type NetworkOption,
  type NetworkSettings,
  networkSettings,
  SettingProblem,
} from "../platform/nats/network-settings.ts";
import { type CommandSpec, type ParsedArguments, UsageError } from "./command.ts";

type Options = CommandSpec["options"];

const PLACEHOLDERS: Readonly<Record<NetworkOption, string>> = {
  server: "<url>",
  project: "<name>",
  identity: "<name>",
  creds: "<file>",
  nkey: "<file>",
  user: "<name>",
  "password-file": "<file>",
  "tls-ca": "<file>",
  "tls-cert": "<file>",
  "tls-key": "<file>",
  silence: "<seconds>",
  call: "<seconds>",
};

const NAMES = Object.keys(NETWORK_VARIABLES) as NetworkOption[];

/** Of commands that are about the network. */
export const NETWORK_OPTIONS: Options = Object.fromEntries(
  NAMES.map((name) => {
    const { help, variable } = NETWORK_VARIABLES[name];
    return [`--${name} ${PLACEHOLDERS[name]}`, `${help}; or ${variable}`];
  }),
);

/** Of commands that open scenarios, which may have remote units. */
export const SERVER: Options = {
  "--server <url>":
    "NATS server through which remote units are reached; or COSIMO_SERVER (credentials: see 'cosimo nodes --help')",
  "--project <name>": "project of these nodes; or COSIMO_PROJECT (default: default)",
};

/** From here on this process and those that it starts know what the options say. */
export function useNetwork(args: ParsedArguments): void {
  for (const name of NAMES) {
    const value = args.one(name);
    if (value !== undefined) process.env[NETWORK_VARIABLES[name].variable] = value;
  }
}

/**
 * Processes that are started from here on, in which a stranger's units run, cannot speak as this
 * one.
 */
export function forgetNetwork(): void {
  for (const { variable } of Object.values(NETWORK_VARIABLES)) delete process.env[variable];
  delete process.env["COSIMO_PASSWORD"];
}

/**
 * Where a command cannot do without. @param server in place of what options and the environment
 * say.
 */
export function requiredNetwork(args: ParsedArguments, server?: string): NetworkSettings {
  try {
    useNetwork(args);
    const settings = networkSettings(process.env, (option) =>
      option === "server" ? server : undefined,
    );
    if (settings !== undefined) return settings;
  } catch (error) {
    if (!(error instanceof SettingProblem)) throw error;
    throw new UsageError(error.message, error.fix);
  }
  throw new UsageError(
    "no server is named",
    "for instance --server nats://localhost:4222, or COSIMO_SERVER in the environment",
  );
}
