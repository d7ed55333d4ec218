/**
 * Moves of boxes in the history of a text: undo and redo take moves and edits back in the order in
 * which they were made, though the places of boxes are stored beside the file and not in it.
 */
import { invertedEffects } from "@codemirror/commands";
import { type Extension, StateEffect } from "@codemirror/state";
import type { Position } from "../graph/model.ts";

export interface Move {
  /** Names of the nested units that lead to the boxes, each with a slash. */
  readonly prefix: string;
  readonly before: ReadonlyMap<string, Position>;
  readonly after: ReadonlyMap<string, Position>;
}

export const moveEffect = StateEffect.define<Move>();

export function movesHistory(): Extension {
  return invertedEffects.of(({ effects }) =>
    effects
      .filter((effect) => effect.is(moveEffect))
      .map(({ value: { prefix, before, after } }) =>
        moveEffect.of({ prefix, before: after, after: before }),
      ),
  );
}
