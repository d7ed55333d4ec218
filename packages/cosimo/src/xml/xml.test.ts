import { describe, expect, it } from "vitest";
import { Reporter } from "./reporter.ts";
import { readXml, XML_LIMITS } from "./xml.ts";
import { XML_DIAGNOSTICS } from "./xml-diagnostics.ts";
import type { XmlElement } from "./xml-element.ts";

/** What the handler saw, one word an event: `+name@line{a=b}`, `-@line`, `text@line`. */
function events(text: string): { seen: string; problems: string[]; complete: boolean } {
  const reporter = new Reporter("x.xml", XML_DIAGNOSTICS);
  const seen: string[] = [];
  const complete = readXml(
    text,
    {
      open(e: XmlElement) {
        const attributes = e.names.slice(0, e.count).map((name) => `${name}=${e.get(name)}`);
        seen.push(
          `+${e.name}@${e.line}${attributes.length > 0 ? `{${attributes.join(",")}}` : ""}`,
        );
        return true;
      },
      close: (_end, line) => seen.push(`-@${line}`),
      text: (line) => seen.push(`text@${line}`),
    },
    reporter,
  );
  const problems = reporter.finish().map((d) => `${d.code}@${d.place.line}: ${d.message}`);
  return { seen: seen.join(" "), problems, complete };
}

function problemOf(text: string): string {
  const { problems, complete } = events(text);
  expect(complete).toBe(false);
  expect(problems).toHaveLength(1);
  return problems[0]!;
}

describe("readXml", () => {
  it("[FD1] tells elements, attributes and lines", () => {
    expect(events("<a>\n <b x=\"1\"\n  y='2'/>\n</a>\n").seen).toBe("+a@1 +b@2{x=1,y=2} -@3 -@4");
  });

  it("[FD1] counts lines through comments, processing instructions, CDATA, values and CR LF", () => {
    const text =
      '<?xml version="1.0"?>\r\n<!-- \r\n -->\r\n<a>\r\n<![CDATA[\r\n]]><b v="1\r\n2"/>\r\n<c/></a>';
    expect(events(text).seen).toBe("+a@4 text@5 +b@6{v=1 2} -@7 +c@8 -@8 -@8");
  });

  it("[FD5] skips a byte order mark", () => {
    expect(events("\uFEFF<a/>").seen).toBe("+a@1 -@1");
  });

  it("[FD3] decodes the predefined entities and numeric references", () => {
    const { seen, problems } = events('<a v="&lt;&gt;&amp;&quot;&apos;&#176;&#x1F600;"/>');
    expect(seen).toBe(`+a@1{v=<>&"'°😀} -@1`);
    expect(problems).toEqual([]);
  });

  it("[FD3] leaves an unknown entity as written and says so", () => {
    const { seen, problems } = events('<a v="1&deg;2">&nbsp;</a>');
    expect(seen).toBe("+a@1{v=1&deg;2} text@1 -@1");
    expect(problems.map((p) => p.split(":")[0])).toEqual([
      "xml-entity-unknown@1",
      "xml-entity-unknown@1",
    ]);
  });

  it("[FD3] never expands entities of a document type", () => {
    const laughs = Array.from(
      { length: 10 },
      (_, i) => `<!ENTITY lol${i + 1} "${`&lol${i};`.repeat(10)}">`,
    ).join("\n");
    const { seen, problems } = events(
      `<!DOCTYPE a [\n<!ENTITY lol0 "lol">\n${laughs}\n]>\n<a v="&lol10;"/>`,
    );
    expect(seen).toBe("+a@14{v=&lol10;} -@14");
    expect(problems[0]).toContain("xml-entity-declared@1");
  });

  it("[FD3] skips a harmless document type, brackets and quotes in it included", () => {
    const { seen, problems } = events(
      `<!DOCTYPE a SYSTEM "x>y" [ <!-- ]> --> <!ELEMENT a (b)> ]>\n<a/>`,
    );
    expect(seen).toBe("+a@2 -@2");
    expect(problems[0]).toContain("xml-doctype@1");
  });

  it("[FD1] gives the offset of tags, so that text can be kept as written", () => {
    const text = "<a> <b>x</b> </a>";
    const kept: string[] = [];
    const starts: number[] = [];
    readXml(
      text,
      {
        open: (e) => starts.push(e.offset) > 0,
        close: (end) => kept.push(text.slice(starts.pop(), end)),
        text: () => undefined,
      },
      new Reporter("x", XML_DIAGNOSTICS),
    );
    expect(kept).toEqual(["<b>x</b>", text]);
  });

  it.each([
    ["<a>\n<b></a>", "@2", "</a> where </b> should close <b>"],
    ["<a>\n", "@2", "<a> never ends"],
    ["<a/>\n<b/>", "@2", "a second root element <b>"],
    ["", "@1", "there is no root element"],
    ["<a/>x", "@1", "text outside the root element"],
    ["x<a/>", "@1", "text outside the root element"],
    ["<a x=1/>", "@1", "the value of 'x' is not in quotes"],
    ["<a x/>", "@1", "the attribute 'x' of <a> has no value"],
    ['<a x="1"y="2"/>', "@1", "unexpected"],
    ['<a x="1" x="2"/>', "@1", "has the attribute 'x' twice"],
    ['<a x="1', "@1", "the value of 'x' never ends"],
    ['<a x="<b/>"/>', "@1", "a '<' in the value of 'x'"],
    ["<a", "@1", "the tag <a> never ends"],
    ["<a></b", "@1", "the tag </b> does not end"],
    ["<a>\n</a></a>", "@2", "</a> closes nothing"],
    ["<a>< b/></a>", "@1", "a '<' that starts no tag"],
    ["<a>&</a>", "@1", "an '&' that starts no reference"],
    ['<a x="&"/>', "@1", "an '&' that starts no reference"],
    ['<a x="&#0;"/>', "@1", "names no character"],
    ['<a x="&#xD800;"/>', "@1", "names no character"],
    ['<a x="&#x110000;"/>', "@1", "names no character"],
    ["<a><!-- </a>", "@1", "a comment never ends"],
    ["<a><![CDATA[ </a>", "@1", "a CDATA section never ends"],
    ["<?xml ", "@1", "a processing instruction never ends"],
    ["<!DOCTYPE a [", "@1", "the document type declaration never ends"],
    ["<a><!DOCTYPE b></a>", "@1", "a '<!' that starts no comment"],
    ["<![CDATA[x]]><a/>", "@1", "CDATA outside the root element"],
    ["<a>\n\u0001</a>", "@2", "the character U+0001 is not allowed"],
  ])("[FD2] refuses %j", (text, line, cause) => {
    const problem = problemOf(text);
    expect(problem).toContain(`xml-malformed${line}: `);
    expect(problem).toContain(cause);
  });

  it("[FD4] stops at the limit of nesting and goes on below it", () => {
    const nested = (depth: number): string => "<a>".repeat(depth) + "</a>".repeat(depth);
    expect(events(nested(XML_LIMITS.depth)).complete).toBe(true);
    expect(problemOf(nested(XML_LIMITS.depth + 1))).toContain("xml-limit@1");
    expect(problemOf("<a>".repeat(100_000))).toContain("xml-limit@1");
  });

  it("[FD4] stops at the limit of attributes and goes on below it", () => {
    const many = (count: number): string =>
      `<a ${Array.from({ length: count }, (_, i) => `x${i}="${i}"`).join(" ")}/>`;
    expect(events(many(XML_LIMITS.attributes)).complete).toBe(true);
    expect(problemOf(many(XML_LIMITS.attributes + 1))).toContain("xml-limit@1");
  });

  it("[FD6] takes a value of several megabytes and names that share a slot of the table", () => {
    const long = "x".repeat(4_000_000);
    expect(events(`<a v="${long}"/>`).seen.length).toBe(long.length + 12);
    const names = Array.from({ length: 10_000 }, (_, i) => `n${i}`);
    const { seen } = events(`<a>${names.map((name) => `<${name}/>`).join("")}</a>`);
    expect(seen.match(/n\d+/g)).toEqual(names);
  });

  it.each([
    ["text without references", "<a>x</a>"],
    ["comments on one line", "<!---->"],
    ["references without line ends", "&lt;"],
    ["values without line ends", "<a b='\t'/>"],
  ])("[FD6] reads much of the same in one pass: %s", (_, piece) => {
    expect(events(`<r>${piece.repeat(300_000)}</r>`).complete).toBe(true);
  });

  it("stops when the handler says so", () => {
    let opened = 0;
    const handler = { open: () => ++opened < 2, close: () => undefined, text: () => undefined };
    expect(readXml("<a><b/><c/></a>", handler, new Reporter("x", XML_DIAGNOSTICS))).toBe(false);
    expect(opened).toBe(2);
  });
});
