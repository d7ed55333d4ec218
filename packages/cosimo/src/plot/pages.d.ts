/**
 * The module that scripts/pages.mjs makes of page/: what goes into HTML pages, as texts.
 */
export interface PageText {
  readonly script: string;
  readonly style: string;
}

export declare const PLOT_PAGE: PageText;
export declare const GRAPH_PAGE: PageText;
