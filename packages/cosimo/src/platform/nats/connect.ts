/**
 * A connection to the server, with the credentials of the settings. The packages are loaded here
 * and nowhere else, when the first connection is made: what stays on one machine never needs them.
 */
import { readFileSync } from "node:fs";
import type { Authenticator, NatsConnection } from "@nats-io/nats-core";
import { errorText } from "../../base/error-text.ts";
import { type NetworkSettings, SettingProblem } from "./network-settings.ts";

export type { Msg, NatsConnection } from "@nats-io/nats-core";

/** The server cannot be reached, or does not let us in. */
export class Unreachable extends Error {
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.name = "Unreachable";
    this.fix = fix;
  }
}

const CONNECT_MS = 5000;
const RECONNECT_MS = 250;
const PING_MS = 5000;

/**
 * @param name as which the server lists the connection; `isPatient`: a server that is not there yet
 * is waited for; `inbox`: where answers of the server itself go.
 * @throws Unreachable or SettingProblem
 */
export async function connectNats(
  settings: NetworkSettings,
  name: string,
  {
    isPatient = false,
    inbox,
  }: { readonly isPatient?: boolean; readonly inbox?: string | undefined } = {},
): Promise<NatsConnection> {
  const { connect } = await import("@nats-io/transport-node");
  const authenticator = await authenticatorOf(settings);
  const { tls } = settings;
  for (const file of Object.values(tls ?? {})) readSecret(file, "the TLS file");
  try {
    return await connect({
      servers: [...settings.servers],
      name,
      timeout: CONNECT_MS,
      // A server that restarts is waited for: every wait for an answer has a bound of its own.
      maxReconnectAttempts: -1,
      waitOnFirstConnect: isPatient,
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: RECONNECT_MS,
      reconnectJitter: RECONNECT_MS,
      pingInterval: PING_MS,
      ...(authenticator && { authenticator }),
      ...(tls && { tls }),
      ...(inbox !== undefined && { inboxPrefix: inbox }),
    });
  } catch (error) {
    throw unreachable(settings, error);
  }
}

function unreachable({ servers, tls }: NetworkSettings, error: unknown): Unreachable {
  const text = errorText(error);
  const where = servers.join(", ");
  if (/authori[sz]ation|authentication|permissions/i.test(text))
    return new Unreachable(
      `${where} refuses the credentials (${text})`,
      "check --creds, --nkey or --user with --password-file against the accounts of the server",
    );
  if (/certificate|tls|ssl|self.signed/i.test(text))
    return new Unreachable(
      `${where} cannot be spoken to with TLS (${text})`,
      tls?.caFile === undefined
        ? "name the authority that signed the server's certificate with --tls-ca"
        : "check --tls-ca, --tls-cert and --tls-key against the certificate of the server",
    );
  return new Unreachable(
    `no NATS server answers at ${where} (${text})`,
    "start one with 'nats-server', or name another with --server or COSIMO_SERVER",
  );
}

async function authenticatorOf(settings: NetworkSettings): Promise<Authenticator | undefined> {
  const core = await import("@nats-io/nats-core");
  const { credentials, nkey, user, passwordFile } = settings;
  if (credentials !== undefined)
    return core.credsAuthenticator(readSecret(credentials, "the credentials"));
  if (nkey !== undefined) {
    const seed = readSecret(nkey, "the seed of the nkey").toString("latin1").trim();
    return core.nkeyAuthenticator(new TextEncoder().encode(seed));
  }
  if (user === undefined) return undefined;
  const password =
    passwordFile === undefined
      ? process.env["COSIMO_PASSWORD"]
      : readSecret(passwordFile, "the password").toString("utf8").trim();
  if (password === undefined)
    throw new SettingProblem(
      `the user '${user}' has no password`,
      "put it into a file and name that with --password-file, or set COSIMO_PASSWORD",
    );
  return core.usernamePasswordAuthenticator(user, password);
}

function readSecret(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new SettingProblem(
      `${what} '${file}' cannot be read (${errorText(error)})`,
      "check the path and who may read the file",
    );
  }
}
