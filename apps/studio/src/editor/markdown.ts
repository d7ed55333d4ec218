/**
 * The few marks of Markdown that our language server writes (code, emphasis, lists, code blocks),
 * as elements. Text stays text: nothing of it is read as markup.
 */

export function markdownNode(text: string): HTMLElement {
  const root = document.createElement("div");
  root.className = "markdown";
  let code: HTMLElement | undefined;
  for (const line of text.split("\n")) {
    if (/^```/.test(line)) {
      code = code === undefined ? root.appendChild(document.createElement("pre")) : undefined;
      continue;
    }
    if (code !== undefined) {
      code.append(`${line}\n`);
      continue;
    }
    if (line.trim() === "") continue;
    const item = /^\s*[-*] (.*)$/.exec(line);
    const heading = /^#+ (.*)$/.exec(line);
    const block = root.appendChild(document.createElement("p"));
    if (item) block.className = "item";
    if (heading) block.className = "heading";
    appendInline(block, item?.[1] ?? heading?.[1] ?? line);
  }
  return root;
}

function appendInline(parent: HTMLElement, text: string): void {
  for (const part of text.split(/(`[^`]+`|\*\*[^*]+\*\*)/)) {
    if (part === "") continue;
    const code = /^`([^`]+)`$/.exec(part)?.[1];
    const strong = /^\*\*([^*]+)\*\*$/.exec(part)?.[1];
    if (code === undefined && strong === undefined) parent.append(part);
    else
      parent.appendChild(
        document.createElement(code === undefined ? "strong" : "code"),
      ).textContent = code ?? strong ?? "";
  }
}
