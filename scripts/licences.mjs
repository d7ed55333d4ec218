/**
 * Which packages a bundle contains, and their licence texts: what pages and the extension must
 * carry along.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/**
 * @param ids paths of the modules in a bundle.
 * @returns name, version, licence, where its source is, and text (where there is one) of every
 * package among them, sorted by folder.
 */
export function bundledPackages(ids) {
  const marker = `${sep}node_modules${sep}`;
  const folders = new Set();
  for (const id of ids) {
    const at = id.lastIndexOf(marker);
    if (at < 0) continue;
    const rest = id.slice(at + marker.length).split(sep);
    const name = rest.slice(0, rest[0].startsWith("@") ? 2 : 1);
    folders.add(join(id.slice(0, at + marker.length), ...name));
  }
  return [...folders].sort().map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const { name, version, license, repository, homepage } = manifest;
    const source = repository?.url ?? repository ?? homepage ?? `npm:${name}`;
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const text = file && readFileSync(join(folder, file), "utf8").trim();
    return { name, version, license, source, text };
  });
}
