/** What the thread that speaks to the network and the run that waits for it say to each other. */
import type { MessagePort } from "node:worker_threads";
import type { NetworkSettings } from "./network-settings.ts";

export interface CourierStart {
  readonly settings: NetworkSettings;
  readonly port: MessagePort;
  /**
   * [0] counts what the thread has said; [1] counts its turns, so that a thread that is gone is
   * noticed.
   */
  readonly words: Int32Array;
  /** Of this caller, in subjects of answers. */
  readonly token: string;
}

export type ToCourier =
  /** A question to a node, or to all of them for so many seconds. */
  | {
      readonly kind: "ask";
      readonly id: number;
      readonly node: string | undefined;
      readonly body: unknown;
      readonly seconds: number;
    }
  /** Answers of a session on that node may come there. */
  | { readonly kind: "expect"; readonly node: string; readonly mailbox: string }
  | {
      readonly kind: "open";
      readonly channel: number;
      readonly unit: string;
      readonly session: SessionKey;
    }
  | { readonly kind: "call"; readonly channel: number; readonly message: Uint8Array }
  | { readonly kind: "close"; readonly channel: number }
  | { readonly kind: "end" };

/** A session on a node. */
export interface SessionKey {
  readonly node: string;
  /** Changes when the node is started again. */
  readonly boot: string;
  /** As signs of life name it. */
  readonly number: number;
  /** As subjects name it; known to its caller alone. */
  readonly key: string;
  /**
   * The last word of the subject of its answers; known to this session alone, so that no other peer
   * can answer for its units.
   */
  readonly mailbox: string;
}

export type FromCourier =
  | { readonly kind: "connected" }
  | { readonly kind: "refused"; readonly message: string; readonly fix: string }
  | { readonly kind: "reply"; readonly id: number; readonly bodies: readonly Uint8Array[] }
  | { readonly kind: "unanswered"; readonly id: number; readonly why: string }
  | { readonly kind: "answer"; readonly channel: number; readonly message: Uint8Array }
  | { readonly kind: "notice"; readonly channel: number; readonly text: string }
  | {
      readonly kind: "lost";
      readonly channel: number;
      readonly how: string;
      readonly problem: string;
    }
  | { readonly kind: "closed"; readonly channel: number }
  | { readonly kind: "ended" }
  | { readonly kind: "broken"; readonly message: string };

export const SAID = 0;
export const TURNS = 1;
