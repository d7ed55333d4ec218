/**
 * Where the built page of the studio lies: `dist/studio`, in the build and in the published
 * package.
 */
import { fileURLToPath } from "node:url";

export function studioPageFolder(): string {
  // Modules of the bundle are one folder below `dist`, those of the build two.
  const above = import.meta.url.includes("/cli/studio/") ? "../../" : "../";
  return fileURLToPath(new URL(`${above}studio`, import.meta.url));
}
