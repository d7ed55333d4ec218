/**
 * What is wrong with a file of an FMU is found where the FMU was unpacked. That folder is gone when
 * a person reads about it, so it is reported as a place in the FMU.
 */
import type { Diagnostic } from "../base/diagnostic.ts";

export function placeInFmu(diagnostic: Diagnostic, folder: string, fmu: string): Diagnostic {
  const { message, place } = diagnostic;
  return {
    ...diagnostic,
    message: message.replaceAll(folder, fmu),
    place: { ...place, file: place.file.replaceAll(folder, fmu) },
  };
}
