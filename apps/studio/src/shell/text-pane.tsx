/**
 * The editor of an open text. It lives with its document; here it only gets a place.
 */
import { useEffect, useRef } from "react";
import type { TextDocument } from "../document/text-document.ts";

export function TextPane({ document }: { document: TextDocument }) {
  const host = useRef<HTMLElement>(null);
  useEffect(() => {
    const { dom } = document.view;
    host.current?.append(dom);
    document.view.requestMeasure();
    return () => dom.remove();
  }, [document]);
  return <section className="text" aria-label="text" ref={host} />;
}
