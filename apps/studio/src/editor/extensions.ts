/**
 * What the editor of a text is made of. Completion, hover and fixes come from the language server;
 * colours from the page's theme.
 */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
  type Tooltip,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type LspCompletion, language } from "../api/language.ts";
import { markdownNode } from "./markdown.ts";
import { wordsOf } from "./words.ts";

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword], color: "var(--syntax-keyword)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--syntax-key)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--syntax-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--syntax-number)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--syntax-comment)", fontStyle: "italic" },
  { tag: [tags.operator, tags.separator, tags.punctuation], color: "var(--muted)" },
]);

export function editorExtensions(path: string): Extension[] {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    EditorState.tabSize.of(2),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    lintGutter(),
    syntaxHighlighting(COLORS),
    languageOf(path),
    autocompletion({ override: [(context) => complete(path, context)] }),
    hoverTooltip((view, position) => hover(path, view, position)),
    EditorView.contentAttributes.of({ "aria-label": `text of ${path}`, tabindex: "0" }),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
  ];
}

function languageOf(path: string): Extension {
  if (/\.ya?ml$/i.test(path)) return yaml();
  const words = wordsOf(path);
  return words === undefined ? [] : StreamLanguage.define(words);
}

function positionOf(state: EditorState, offset: number): { line: number; character: number } {
  const line = state.doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

async function complete(
  path: string,
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[\w.-]*/);
  const before = context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos);
  if (!context.explicit && (word === null || word.text === "") && !/[.>/("]/.test(before))
    return null;
  const position = positionOf(context.state, context.pos);
  const answer = await language.ask<LspCompletion[] | { items: LspCompletion[] }>(
    "completion",
    path,
    { position },
  );
  const items = answer === undefined ? [] : Array.isArray(answer) ? answer : answer.items;
  if (items.length === 0) return null;
  const offsetOf = ({ line, character }: { line: number; character: number }): number =>
    context.state.doc.line(line + 1).from + character;
  const start = items[0]?.textEdit?.range.start;
  const from =
    start === undefined ? (context.matchBefore(/\w*/)?.from ?? context.pos) : offsetOf(start);
  return {
    from,
    options: items.map(
      ({ label, detail, documentation, insertText, textEdit, kind }): Completion => ({
        label,
        ...(detail === undefined ? {} : { detail }),
        type: kind === 3 ? "function" : kind === 14 ? "keyword" : "variable",
        apply: textEdit?.newText ?? insertText ?? label,
        ...(documentation === undefined
          ? {}
          : {
              info: () =>
                markdownNode(
                  typeof documentation === "string" ? documentation : documentation.value,
                ),
            }),
      }),
    ),
    validFor: /^[\w.-]*$/,
  };
}

async function hover(path: string, view: EditorView, offset: number): Promise<Tooltip | null> {
  const position = positionOf(view.state, offset);
  const found = await language.ask<{ contents: { value: string } | string }>("hover", path, {
    position,
  });
  if (!found) return null;
  const text = typeof found.contents === "string" ? found.contents : found.contents.value;
  return {
    pos: offset,
    above: true,
    create: () => ({ dom: markdownNode(text) }),
  };
}
