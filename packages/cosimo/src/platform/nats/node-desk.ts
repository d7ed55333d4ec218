/**
 * Where a node is asked: takes questions from the network, holds each against who may ask what,
 * answers, and gives signs of life. What it offers and how a session is started is up to the
 * handlers. Whatever comes is a stranger's word: what does not parse is counted and dropped with a
 * line in the log.
 */
import { errorText } from "../../base/error-text.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { Untrusted } from "../../remote/untrusted.ts";
import type { Msg, NatsConnection } from "./connect.ts";
import { DropCount } from "./drop-count.ts";
import { packJson, unpackJson } from "./json-body.ts";
import { isToken, type NetworkSettings } from "./network-settings.ts";
import { replyParts } from "./replies.ts";
import { askerOf, EVERY_IDENTITY, isAnswerTo, subjectsOf } from "./subjects.ts";

export interface DeskOptions {
  readonly settings: NetworkSettings;
  readonly node: string;
  /** Identities that are served; undefined: all. */
  readonly allow: ReadonlySet<string> | undefined;
  readonly log: (line: string) => void;
  /** What `cosimo nodes` shows. */
  readonly about: () => object;
  readonly describe: (offer: string, given: ReadonlyMap<string, number>) => Promise<unknown>;
  /** Starts a process for a caller; the answer names it. */
  readonly startSession: (request: SessionRequest) => Promise<unknown>;
  /** For signs of life. */
  readonly beat: () => { readonly boot: string; readonly sessions: readonly number[] };
}

export interface SessionRequest {
  readonly identity: string;
  /** Where answers go. */
  readonly answers: string;
  readonly silenceSeconds: number;
}

const BEAT_MS = 1000;
const MAX_GIVEN = 10_000;
const MAX_SILENCE_SECONDS = 7 * 24 * 3600;
/** Questions whose answers are kept, because they may come again. */
const MAX_KEPT = 1000;
const FRAME_MARGIN = 1024;

export class NodeDesk {
  private readonly connection: NatsConnection;
  private readonly options: DeskOptions;
  private readonly kept = new Map<string, Promise<unknown>>();
  private readonly drops = new DropCount();
  private timer: NodeJS.Timeout | undefined;

  constructor(connection: NatsConnection, options: DeskOptions) {
    this.connection = connection;
    this.options = options;
  }

  async open(): Promise<void> {
    const { settings, node, allow } = this.options;
    for (const identity of allow ?? [EVERY_IDENTITY]) {
      const subjects = subjectsOf({ ...settings, identity });
      for (const subject of [subjects.ask, subjects.node(node)])
        this.connection.subscribe(subject, {
          callback: (error, message) => {
            if (error === null) void this.hear(message);
          },
        });
    }
    await this.connection.flush();
    this.beat();
    this.timer = setInterval(() => this.beat(), BEAT_MS);
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Says at once what has changed. */
  beat(): void {
    if (this.connection.isClosed()) return;
    const { settings, node, beat } = this.options;
    this.connection.publish(subjectsOf(settings).beat(node), packJson(beat()));
  }

  /** Counts a message that is not served. */
  drop(from: string, why: string): void {
    const line = this.drops.add(`'${from}'`, why);
    if (line !== undefined) this.options.log(line);
  }

  private async hear({ subject, reply, data }: Msg): Promise<void> {
    const identity = askerOf(subject);
    const { project } = this.options.settings;
    try {
      if (reply === undefined || !isToken(identity) || !isAnswerTo(project, identity, reply))
        throw new Nonsense("it wants its answer where no answers of this caller go");
      const question = new Untrusted(unpackJson(data), "the question");
      const answer = await this.answer(question, identity, reply);
      if (this.connection.isClosed()) return;
      const limit = (this.connection.info?.max_payload ?? 1 << 20) - FRAME_MARGIN;
      for (const part of replyParts(packJson(answer), limit)) this.connection.publish(reply, part);
    } catch (error) {
      if (error instanceof Nonsense) this.drop(identity, error.message);
      else this.options.log(`a question of '${identity}' failed: ${errorText(error)}`);
    }
  }

  private answer(question: Untrusted, identity: string, reply: string): Promise<unknown> {
    const { about, describe, startSession } = this.options;
    switch (question.choice("kind", ["about", "describe", "session"])) {
      case "about":
        return Promise.resolve({ ...about(), dropped: this.drops.total });
      case "describe":
        return describe(question.text("offer", 200), takeGiven(question));
      case "session": {
        const answers = question.text("answers", 500);
        if (!isAnswerTo(this.options.settings.project, identity, answers))
          throw new Nonsense("it wants its answers where none of this caller go");
        const silenceSeconds = Math.min(question.number("silence"), MAX_SILENCE_SECONDS);
        if (!(silenceSeconds > 0)) throw new Nonsense("a silence that is not above 0");
        // The same question again is the same session.
        return this.once(reply, () => startSession({ identity, answers, silenceSeconds }));
      }
    }
  }

  private once(key: string, start: () => Promise<unknown>): Promise<unknown> {
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const made = start();
    this.kept.set(key, made);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    return made;
  }
}

function takeGiven(question: Untrusted): Map<string, number> {
  const given = question.objects("given");
  if (given.length > MAX_GIVEN) throw new Nonsense("too many values");
  return new Map(given.map((one) => [one.text("name", 1000), one.number("value")]));
}
