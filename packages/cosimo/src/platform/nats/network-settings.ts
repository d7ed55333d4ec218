/**
 * How this process reaches others: the server, who it is there, and for how long it waits. Settings
 * come from the environment, so that every command and every program that opens a scenario has
 * them; options of commands go before it. Secrets are in files or in the environment, never in
 * arguments, which other users of the machine can read.
 */

export interface NetworkSettings {
  /** Addresses of one cluster: nats://host:4222, tls://host:4222. */
  readonly servers: readonly string[];
  /** Runs and nodes of one project see each other and no others. */
  readonly project: string;
  /** As which nodes know the caller; the server must hold it to this name. */
  readonly identity: string;
  /** A file with a JWT and its key, as `nsc` writes it. */
  readonly credentials?: string;
  /** A file with the seed of an nkey. */
  readonly nkey?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly tls?: TlsFiles;
  /** How long nothing may be heard of a peer before it counts as lost, seconds. */
  readonly silenceSeconds: number;
  /** How long one call of a remote unit may take, seconds. */
  readonly callSeconds: number;
}

export interface TlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** A setting that cannot be used. */
export class SettingProblem extends Error {
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.name = "SettingProblem";
    this.fix = fix;
  }
}

/** One row per setting: its option, the variable of the environment, what it is. */
export const NETWORK_VARIABLES = {
  server: { variable: "COSIMO_SERVER", help: "address of the NATS server (repeat with commas)" },
  project: { variable: "COSIMO_PROJECT", help: "project whose nodes are seen (default: default)" },
  identity: {
    variable: "COSIMO_IDENTITY",
    help: "the name under which nodes know the caller (default: the user, or 'anyone')",
  },
  creds: { variable: "COSIMO_CREDS", help: "file with JWT and key, as nsc writes it" },
  nkey: { variable: "COSIMO_NKEY", help: "file with the seed of an nkey" },
  user: { variable: "COSIMO_USER", help: "user name; its password is in --password-file" },
  "password-file": {
    variable: "COSIMO_PASSWORD_FILE",
    help: "file with the password (or the variable COSIMO_PASSWORD)",
  },
  "tls-ca": { variable: "COSIMO_TLS_CA", help: "file with the authority that signed the server" },
  "tls-cert": { variable: "COSIMO_TLS_CERT", help: "file with the certificate of this side" },
  "tls-key": { variable: "COSIMO_TLS_KEY", help: "file with the key of that certificate" },
  silence: {
    variable: "COSIMO_SILENCE",
    help: "seconds without a sign after which a peer is lost (default: 30)",
  },
  call: { variable: "COSIMO_CALL", help: "seconds that one call may take (default: 3600)" },
} as const;

export type NetworkOption = keyof typeof NETWORK_VARIABLES;

const DEFAULT_SILENCE_SECONDS = 30;
const DEFAULT_CALL_SECONDS = 3600;
const ANYONE = "anyone";

/** A token of a subject: no dots, wildcards or blanks. */
const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * @param given options of a command, by name.
 * @returns undefined where no server is named.
 * @throws SettingProblem
 */
export function networkSettings(
  environment: Readonly<Record<string, string | undefined>>,
  given: (option: NetworkOption) => string | undefined = () => undefined,
): NetworkSettings | undefined {
  const value = (option: NetworkOption): string | undefined => {
    const text = given(option) ?? environment[NETWORK_VARIABLES[option].variable];
    return text === undefined || text.trim() === "" ? undefined : text.trim();
  };
  const server = value("server");
  if (server === undefined) return undefined;
  const user = value("user");
  const identity = value("identity") ?? (user !== undefined && isToken(user) ? user : ANYONE);
  const files: TlsFiles = {
    ...optional("caFile", value("tls-ca")),
    ...optional("certFile", value("tls-cert")),
    ...optional("keyFile", value("tls-key")),
  };
  const servers = server.split(",").map((address) => checkedAddress(address.trim()));
  const wantsTls = servers.some((address) => address.startsWith("tls:"));
  return {
    servers,
    project: checkedToken("project", value("project") ?? "default"),
    identity: checkedToken("identity", identity),
    ...optional("credentials", value("creds")),
    ...optional("nkey", value("nkey")),
    ...optional("user", user),
    ...optional("passwordFile", value("password-file")),
    ...(wantsTls || Object.keys(files).length > 0 ? { tls: files } : {}),
    silenceSeconds: seconds("silence", value("silence"), DEFAULT_SILENCE_SECONDS),
    callSeconds: seconds("call", value("call"), DEFAULT_CALL_SECONDS),
  };
}

function optional<Key extends string>(
  key: Key,
  value: string | undefined,
): { readonly [K in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: string };
}

function checkedAddress(address: string): string {
  const found = /^(nats|tls):\/\/([^\s/@]+@)?(\[[0-9a-fA-F:]+\]|[\w.-]+)(:\d{1,5})?\/?$/.exec(
    address,
  );
  if (found === null)
    throw new SettingProblem(
      `'${address}' is not the address of a server`,
      "for instance nats://localhost:4222, or tls://nats.example.org:4222",
    );
  if (found[2] !== undefined)
    throw new SettingProblem(
      "a server's address contains a user or password, which others can read",
      "name the user with --user and its password with --password-file or COSIMO_PASSWORD",
    );
  return address;
}

function checkedToken(what: NetworkOption, text: string): string {
  if (isToken(text)) return text;
  throw new SettingProblem(
    `the ${what} '${text}' has other characters than letters, digits, '-' and '_', or more than 64`,
    `for instance ${NETWORK_VARIABLES[what].variable}=window-lift`,
  );
}

function seconds(what: NetworkOption, text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new SettingProblem(
    `${NETWORK_VARIABLES[what].variable} or --${what} is '${text}', not a number of seconds above 0`,
    `for instance --${what} ${usual}`,
  );
}
