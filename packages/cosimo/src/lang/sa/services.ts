/**
 * Langium's parser for sa.langium, made once when the first text is read. No files, no language server: what Langium needs of
 * a host is the empty file system.
 */
import {
  AbstractAstReflection,
  createDefaultCoreModule,
  createDefaultSharedCoreModule,
  EmptyFileSystem,
  inject,
  type LangiumCoreServices,
  type LangiumGeneratedSharedCoreServices,
  type LangiumSharedCoreServices,
  loadGrammarFromJson,
  type Module,
  type PartialLangiumCoreServices,
} from "langium";
import { SA_GRAMMAR, SA_TYPES } from "./grammar.ts";
import { EXPECTATIONS } from "./syntax-errors.ts";

class SaReflection extends AbstractAstReflection {
  override readonly types: typeof SA_TYPES = SA_TYPES;
}

const shared: Module<LangiumSharedCoreServices, LangiumGeneratedSharedCoreServices> = {
  AstReflection: () => new SaReflection(),
};

const language: Module<LangiumCoreServices, PartialLangiumCoreServices> = {
  Grammar: () => loadGrammarFromJson(SA_GRAMMAR),
  LanguageMetaData: () => ({
    languageId: "sa",
    fileExtensions: [".sa"],
    caseInsensitive: false,
    mode: "production",
  }),
  parser: { ParserErrorMessageProvider: () => EXPECTATIONS },
};

let made: LangiumCoreServices | undefined;

/** After a parse that was ended: the parser stands in the middle of it. */
export function discardServices(): void {
  made = undefined;
}

export function saServices(): LangiumCoreServices {
  if (made !== undefined) return made;
  const sharedServices = inject(createDefaultSharedCoreModule(EmptyFileSystem), shared);
  made = inject(createDefaultCoreModule({ shared: sharedServices }), language);
  sharedServices.ServiceRegistry.register(made);
  return made;
}
