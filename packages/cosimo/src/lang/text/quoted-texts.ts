/**
 * Texts in double quotes as their authors wrote them: `\"` is a quote and `\\` a backslash, any
 * other backslash is itself. A path with the separators of Windows ("sub\table.mci") would turn
 * into control characters otherwise, and be written back so.
 */
import type { CstNode, GrammarAST, ValueType } from "langium";
import { DefaultValueConverter } from "langium";

export class LiteralTexts extends DefaultValueConverter {
  protected override runConverter(
    rule: GrammarAST.AbstractRule,
    input: string,
    cstNode: CstNode,
  ): ValueType {
    if (rule.name !== "STRING") return super.runConverter(rule, input, cstNode);
    return input.slice(1, -1).replace(/\\(["\\])/g, "$1");
  }
}
