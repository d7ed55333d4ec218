/**
 * An HTML page as a browser runs it, for tests: a document without layout, whose elements have the
 * size that their style says, and a canvas that counts what is drawn.
 */
import { Window } from "happy-dom";

const WIDTH = 800;

export interface OpenPage {
  readonly window: Window;
  /** How often each method of a canvas or of a path was called. */
  readonly drawn: ReadonlyMap<string, number>;
  /** Everything written onto a canvas. */
  readonly texts: readonly string[];
  one(selector: string): ReturnType<Window["document"]["createElement"]>;
  /** Lets the page do what it has queued. */
  settle(): Promise<void>;
  /** Counts of what `action` and all that follows draws. */
  during(action: () => void): Promise<Map<string, number>>;
}

export async function openPage(
  html: string,
  scheme: "light" | "dark" = "light",
): Promise<OpenPage> {
  const window = new Window({
    width: 1000,
    height: 800,
    settings: {
      enableJavaScriptEvaluation: true,
      // The pages are our own.
      suppressInsecureJavaScriptEnvironmentWarning: true,
      device: { prefersColorScheme: scheme },
    },
  });
  const drawn = new Map<string, number>();
  const texts: string[] = [];
  addCanvas(window, drawn, texts);
  addSizes(window);
  const errors: unknown[] = [];
  window.addEventListener("error", (event) => errors.push(event));
  // The parser loses what follows a style sheet inside a drawing, and without layout none is
  // needed.
  window.document.write(html.replace(/<style>[\s\S]*?<\/style>/g, ""));
  const settle = async (): Promise<void> => {
    await window.happyDOM.waitUntilComplete();
    if (errors.length > 0) throw new Error(`the page failed: ${JSON.stringify(errors)}`);
  };
  await settle();
  return {
    window,
    drawn,
    texts,
    one: (selector) => {
      const found = window.document.querySelector(selector);
      if (!found) throw new Error(`the page has no ${selector}`);
      return found as ReturnType<Window["document"]["createElement"]>;
    },
    settle,
    during: async (action) => {
      const before = new Map(drawn);
      texts.length = 0;
      action();
      await settle();
      return new Map([...drawn].map(([name, count]) => [name, count - (before.get(name) ?? 0)]));
    },
  };
}

/** Methods of whatever name, counted; properties as they were set. */
function counter(drawn: Map<string, number>, texts: string[]): object {
  return new Proxy({} as Record<string, unknown>, {
    get: (target, name: string) =>
      target[name] ??
      ((...args: unknown[]) => {
        drawn.set(name, (drawn.get(name) ?? 0) + 1);
        if (name === "fillText") texts.push(String(args[0]));
        return name === "measureText" ? { width: String(args[0]).length * 6 } : undefined;
      }),
  });
}

function addCanvas(window: Window, drawn: Map<string, number>, texts: string[]): void {
  const context = counter(drawn, texts);
  Object.assign(window.HTMLCanvasElement.prototype, { getContext: () => context });
  Object.assign(window, {
    // A constructor that returns an object makes that object.
    Path2D: function Path2D() {
      return counter(drawn, texts);
    },
  });
}

function addSizes(window: Window): void {
  const pixels = (text: string, otherwise: number): number => Number.parseFloat(text) || otherwise;
  Object.defineProperty(window.HTMLElement.prototype, "clientWidth", {
    get(this: { style: { width: string } }) {
      return pixels(this.style.width, WIDTH);
    },
  });
  Object.assign(window.HTMLElement.prototype, {
    getBoundingClientRect(this: { style: Record<string, string> }) {
      const { left = "", top = "", width = "", height = "" } = this.style;
      const box = {
        left: pixels(left, 0),
        top: pixels(top, 0),
        width: pixels(width, WIDTH),
        height: pixels(height, 100),
      };
      return { ...box, right: box.left + box.width, bottom: box.top + box.height };
    },
  });
}
