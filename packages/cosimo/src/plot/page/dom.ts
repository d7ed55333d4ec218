/**
 * What both pages need of their document.
 */

/** The element that the page's markup has under this id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`internal: the page has no element '${id}'`);
  return found;
}

/** The data that stands beside the script. */
export function pageData<Data>(): Data {
  return JSON.parse(byId("data").textContent ?? "") as Data;
}

export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  return made;
}
