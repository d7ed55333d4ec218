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
  indentService,
  indentUnit,
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

/**
 * A new line begins below the one before, behind a colon further in; the grammar's own rule leaves
 * the block that one writes in.
 */
const YAML_LINES = indentService.of((context, position) => {
  const { text, from } = context.lineAt(position, -1);
  const isNew = context.simulatedBreak !== null;
  const before = isNew ? text : from === 0 ? "" : context.lineAt(from - 1, -1).text;
  const column = /^ */.exec(before)?.[0].length ?? 0;
  return /:\s*(?:#.*)?$/.test(before) ? column + context.state.facet(indentUnit).length : column;
});

function languageOf(path: string): Extension {
  if (/\.ya?ml$/i.test(path)) return [yaml(), YAML_LINES];
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
  const typed = context.matchBefore(/[\w.-]*/);
  const before = context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos);
  if (!context.explicit && (typed === null || typed.text === "") && !/[.>/("]/.test(before))
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
  const word = context.matchBefore(/\w*/)?.from ?? context.pos;
  const begins = items.map(({ textEdit }) => (textEdit ? offsetOf(textEdit.range.start) : word));
  const isBegun = ({ label }: LspCompletion, i: number): boolean =>
    hasLetters(label, context.state.sliceDoc(begins[i], context.pos));
  // Keys of a line begin before ports of its units: what is listed begins at one place.
  const from = Math.max(...begins.filter((_, i) => isBegun(items[i] as LspCompletion, i)));
  if (!Number.isFinite(from)) return null;
  return {
    from,
    options: items
      .filter((_, i) => begins[i] === from)
      .map(
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
    // Behind a dot there is another list.
    validFor: /^[\w-]*$/,
  };
}

/** Whether all of `typed` occurs in `label`, in this order. */
function hasLetters(label: string, typed: string): boolean {
  let at = 0;
  for (const letter of label.toLowerCase()) if (letter === typed[at]?.toLowerCase()) at++;
  return at === typed.length;
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
