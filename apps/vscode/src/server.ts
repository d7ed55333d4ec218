/**
 * The language server as the extension ships it: the one of `cosimo language-server`, with
 * everything it needs in one folder.
 */
import { serveOnStdio } from "../../../packages/cosimo/dist/host/language-server/server.js";

declare const __COSIMO_VERSION__: string;

serveOnStdio({ version: __COSIMO_VERSION__ });
