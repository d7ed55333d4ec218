/**
 * What requests are refused for: one table of codes, each with its HTTP status, what is wrong and
 * what to do.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import { TRACE_ENDINGS } from "../record/formats.ts";
import type { ApiProblem } from "./protocol.ts";

interface Row {
  readonly status: number;
  readonly message: (detail: string) => string;
  readonly fix: string;
}

export type ProblemCode =
  | "token-missing"
  | "origin-foreign"
  | "host-foreign"
  | "route-unknown"
  | "path-outside"
  | "file-missing"
  | "file-changed"
  | "file-condition"
  | "body-too-large"
  | "request-wrong"
  | "file-refused"
  | "trace-ending"
  | "expression-wrong"
  | "run-unknown"
  | "run-ended"
  | "run-going"
  | "runs-too-many"
  | "server-failed";

const PROBLEMS: Readonly<Record<ProblemCode, Row>> = {
  "token-missing": {
    status: 401,
    message: () => "the request does not have the token of this studio",
    fix: "open the link that 'cosimo studio' printed",
  },
  "origin-foreign": {
    status: 403,
    message: (origin) => `the request comes from another page (${origin})`,
    fix: "open the link that 'cosimo studio' printed",
  },
  "host-foreign": {
    status: 403,
    message: (host) => `the request was sent to another host name (${host})`,
    fix: "open the link that 'cosimo studio' printed: it names a loopback address",
  },
  "route-unknown": {
    status: 404,
    message: (route) => `there is no ${route}`,
    fix: "reload the page: it may be older than the server",
  },
  "path-outside": {
    status: 403,
    message: (path) => `'${path}' is not inside of the folder that is served`,
    fix: "use a file of the folder, or start 'cosimo studio' on a folder that holds it",
  },
  "file-missing": {
    status: 404,
    message: (path) => `there is no file '${path}'`,
    fix: "look at the list of files again",
  },
  "file-changed": {
    status: 412,
    message: (path) => `'${path}' was changed elsewhere in the meantime`,
    fix: "load it again, or save it under another name",
  },
  "file-condition": {
    status: 428,
    message: (path) => `the request to write '${path}' does not say which version it replaces`,
    fix: "send If-Match with the ETag that was read, or If-None-Match: * for a new file",
  },
  "body-too-large": {
    status: 413,
    message: (limit) => `the request is larger than ${limit}`,
    fix: "copy large files into the folder by other means",
  },
  "request-wrong": {
    status: 400,
    message: (detail) => detail,
    fix: "see docs/spec/studio.md",
  },
  "file-refused": {
    status: 422,
    message: (detail) => detail,
    fix: "correct the file",
  },
  "trace-ending": {
    status: 422,
    message: (path) => `'${path}' does not have the name of a trace`,
    fix: `name it with one of the endings ${TRACE_ENDINGS.join(", ")}`,
  },
  "expression-wrong": {
    status: 422,
    message: (detail) => detail,
    fix: "write it as in a requirement: docs/guide/requirements.md",
  },
  "run-unknown": {
    status: 404,
    message: (id) => `there is no run '${id}'`,
    fix: "look at the list of runs again",
  },
  "run-ended": {
    status: 409,
    message: () => "the run has ended",
    fix: "start it again",
  },
  "run-going": {
    status: 409,
    message: () => "the run has not ended yet",
    fix: "stop it first",
  },
  "runs-too-many": {
    status: 429,
    message: (count) => `there are ${count} runs already`,
    fix: "stop or forget some of them",
  },
  "server-failed": {
    status: 500,
    message: (reason) => `the server failed: ${reason}`,
    fix: "report it, with what you did and the output of 'cosimo studio'",
  },
};

/** Ends a request; the server answers with it. */
export class RequestRefused extends Error {
  readonly status: number;
  readonly problem: ApiProblem;

  constructor(code: ProblemCode, detail = "", diagnostics?: readonly Diagnostic[]) {
    const row = PROBLEMS[code];
    const message = row.message(detail);
    super(message);
    this.name = "RequestRefused";
    this.status = row.status;
    this.problem = {
      code,
      message,
      fix: diagnostics?.[0]?.fix ?? row.fix,
      ...(diagnostics === undefined ? {} : { diagnostics }),
    };
  }
}
