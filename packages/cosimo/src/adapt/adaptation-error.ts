/**
 * An adaptation that has no meaning. The checks of the language report these to people before
 * anything is opened; code that builds adaptations as data gets them here.
 */
import type { Place } from "../base/diagnostic.ts";

export class AdaptationError extends Error {
  constructor(message: string, place?: Place) {
    const at =
      place === undefined
        ? ""
        : `${[place.file, place.line, place.column].filter((part) => part !== undefined).join(":")} `;
    super(`${at}${message}`);
    this.name = "AdaptationError";
  }
}
