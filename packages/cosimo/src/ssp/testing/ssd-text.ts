/**
 * Small SSDs for tests: the frame that every one of them has, around what the test is about.
 */

const NAMESPACES = [
  "Description ssd",
  "Common ssc",
  "ParameterValues ssv",
  "ParameterMapping ssm",
  "SignalDictionary ssb",
]
  .map((line) => line.split(" "))
  .map(([name, prefix]) => `xmlns:${prefix}="http://ssp-standard.org/SSP1/SystemStructure${name}"`)
  .join(" ");

/** A whole SSD around the content of its outermost system. */
export function ssd(system: string, options: { tail?: string; version?: string } = {}): string {
  const { tail = "", version = "1.0" } = options;
  return `<ssd:SystemStructureDescription ${NAMESPACES} version="${version}" name="demo"><ssd:System name="root">${system}</ssd:System>${tail}</ssd:SystemStructureDescription>`;
}

/**
 * `component("a", "u< y>")`: inputs and outputs by the arrow; `p!` is a parameter, `q?` has no
 * direction.
 */
export function component(name: string, ports: string, rest = ""): string {
  return `<ssd:Component name="${name}" source="${name}.fmu">${connectors(ports)}${rest}</ssd:Component>`;
}

export function system(name: string, ports: string, content: string, rest = ""): string {
  return `<ssd:System name="${name}">${connectors(ports)}${rest}${content}</ssd:System>`;
}

const KINDS: Readonly<Record<string, string>> = {
  "<": "input",
  ">": "output",
  "!": "parameter",
  "?": "inout",
};

export function connectors(ports: string): string {
  const written = ports
    .split(" ")
    .filter((port) => port !== "")
    .map((port) => `<ssd:Connector name="${port.slice(0, -1)}" kind="${KINDS[port.at(-1)!]}"/>`);
  return written.length === 0 ? "" : `<ssd:Connectors>${written.join("")}</ssd:Connectors>`;
}

export function elements(...content: string[]): string {
  return `<ssd:Elements>${content.join("")}</ssd:Elements>`;
}

/** Lines `a.y -> b.u`, with the content of the connection after a bar: `a.y -> b.u | <ssc:…/>`. */
export function connections(...lines: string[]): string {
  const written = lines.map((line) => {
    const [ends, content = ""] = line.split(" | ") as [string, string?];
    const [start, end] = ends.split(" -> ") as [string, string];
    return `<ssd:Connection ${side("start", start)} ${side("end", end)}>${content}</ssd:Connection>`;
  });
  return `<ssd:Connections>${written.join("")}</ssd:Connections>`;
}

function side(which: "start" | "end", reference: string): string {
  const dot = reference.lastIndexOf(".");
  const element = dot < 0 ? "" : `${which}Element="${reference.slice(0, dot)}" `;
  return `${element}${which}Connector="${reference.slice(dot + 1)}"`;
}

export function linear(factor: number, offset = 0): string {
  return `<ssc:LinearTransformation factor="${factor}" offset="${offset}"/>`;
}

export function dictionary(name: string, ...entries: string[]): string {
  const written = entries.map(
    (entry) => `<ssb:DictionaryEntry name="${entry}"><ssc:Real/></ssb:DictionaryEntry>`,
  );
  return `<ssd:SignalDictionary name="${name}"><ssb:SignalDictionary version="1.0">${written.join("")}</ssb:SignalDictionary></ssd:SignalDictionary>`;
}

export function dictionaries(...content: string[]): string {
  return `<ssd:SignalDictionaries>${content.join("")}</ssd:SignalDictionaries>`;
}

export function bus(name: string, of: string, ports: string): string {
  return `<ssd:SignalDictionaryReference name="${name}" dictionary="${of}">${connectors(ports)}</ssd:SignalDictionaryReference>`;
}

/** `k=1.5 b=true s="x"`: reals, booleans and strings by the look of the value. */
function parameters(text: string): string {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => {
      const [name, value] = word.split("=") as [string, string];
      const type = /^(true|false)$/.test(value)
        ? "Boolean"
        : value.startsWith("'")
          ? "String"
          : "Real";
      const [number, unit] = value.replaceAll("'", "").split("_") as [string, string?];
      const measured = unit === undefined ? "" : ` unit="${unit}"`;
      return `<ssv:Parameter name="${name}"><ssv:${type} value="${number}"${measured}/></ssv:Parameter>`;
    })
    .join("");
}

const UNITS =
  '<ssv:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit><ssc:Unit name="cubit"><ssc:BaseUnit m="1" factor="0.5"/></ssc:Unit></ssv:Units>';

export function parameterSet(text: string): string {
  return `<ssv:ParameterSet ${NAMESPACES} version="1.0" name="p"><ssv:Parameters>${parameters(text)}</ssv:Parameters>${UNITS}</ssv:ParameterSet>`;
}

/** Bindings with inline sets; a binding may begin with a mapping: `{k=x*2+1} k=5`. */
export function bindings(...sets: string[]): string {
  const written = sets.map((set) => {
    const mapping = /^\{(.*)\} /.exec(set);
    const values = mapping === null ? set : set.slice(mapping[0].length);
    return `<ssd:ParameterBinding><ssd:ParameterValues>${parameterSet(values)}</ssd:ParameterValues>${mapping === null ? "" : inlineMapping(mapping[1]!)}</ssd:ParameterBinding>`;
  });
  return `<ssd:ParameterBindings>${written.join("")}</ssd:ParameterBindings>`;
}

function inlineMapping(text: string): string {
  return `<ssd:ParameterMapping>${parameterMapping(text)}</ssd:ParameterMapping>`;
}

export function parameterMapping(text: string): string {
  const entries = text.split(" ").map((word) => {
    const [source, target, factor] = word.split(/[=*]/) as [string, string, string?];
    const content = factor === undefined ? "" : linear(Number(factor));
    return `<ssm:MappingEntry source="${source}" target="${target}">${content}</ssm:MappingEntry>`;
  });
  return `<ssm:ParameterMapping ${NAMESPACES} version="1.0">${entries.join("")}</ssm:ParameterMapping>`;
}
