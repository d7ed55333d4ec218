/**
 * The grammar of mci.langium as Langium loads it. Made by scripts/grammars.mjs; do not edit.
 */
import type { AstMetaData } from "langium";

export const MCI_GRAMMAR: string =
  '{"$type":"Grammar","isDeclared":true,"name":"MCI","rules":[{"$type":"ParserRule","entry":true,"name":"Interface","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"Interface"},{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@24"},"arguments":[]}},{"$type":"Keyword","value":"{"},{"$type":"Assignment","feature":"parts","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@1"},"arguments":[]},"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Part","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@2"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@3"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@19"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"UnitPath","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"kind","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"SUPath"},{"$type":"Keyword","value":"FMUPath"},{"$type":"Keyword","value":"GemocExecutablePath"}]}},{"$type":"Assignment","feature":"path","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Ports","definition":{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Ports"}},{"$type":"Keyword","value":"ports"},{"$type":"Keyword","value":"{"},{"$type":"Group","elements":[{"$type":"Assignment","feature":"ports","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@4"},"arguments":[]}},{"$type":"Keyword","value":",","cardinality":"?"}],"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Port","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"Port"},{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@24"},"arguments":[]}},{"$type":"Keyword","value":"{"},{"$type":"Group","elements":[{"$type":"Assignment","feature":"attributes","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@5"},"arguments":[]}},{"$type":"Alternatives","elements":[{"$type":"Keyword","value":","},{"$type":"Keyword","value":";"}],"cardinality":"?"}],"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Attribute","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@6"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@7"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@8"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@9"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@10"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@11"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@12"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@13"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@14"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@15"},"arguments":[]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"DirectionAttribute","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"direction"},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"INPUT"},{"$type":"Keyword","value":"OUTPUT"}]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"NatureAttribute","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"nature"},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"continuous"},{"$type":"Keyword","value":"piecewise-continuous"},{"$type":"Keyword","value":"piecewiseContinuous"},{"$type":"Keyword","value":"piecewise-constant"},{"$type":"Keyword","value":"piecewiseConstant"},{"$type":"Keyword","value":"constant"},{"$type":"Keyword","value":"transient"}]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"TypeAttribute","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"type"},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"Real"},{"$type":"Keyword","value":"Integer"},{"$type":"Keyword","value":"Boolean"},{"$type":"Keyword","value":"String"},{"$type":"Keyword","value":"Enumeration"},{"$type":"Keyword","value":"Binary"},{"$type":"Keyword","value":"Clock"}]}},{"$type":"Group","elements":[{"$type":"Keyword","value":"["},{"$type":"Assignment","feature":"shape","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@27"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":","},{"$type":"Assignment","feature":"shape","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@27"},"arguments":[]}}],"cardinality":"*"},{"$type":"Keyword","value":"]"}],"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"InitialAttribute","definition":{"$type":"Group","elements":[{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"initialValue"},{"$type":"Keyword","value":"initValue"}]},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@18"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"VariableAttribute","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"variableName"},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"MonitoredAttribute","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"monitored"},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"true"},{"$type":"Keyword","value":"false"}]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"ColorAttribute","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"plotterColor"},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"ReferenceAttribute","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"temporalreference"},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@24"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"EventsAttribute","definition":{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"EventsAttribute"}},{"$type":"Keyword","value":"ioevents"},{"$type":"Keyword","value":"{"},{"$type":"Group","elements":[{"$type":"Assignment","feature":"events","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@16"},"arguments":[]}},{"$type":"Keyword","value":",","cardinality":"?"}],"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"PortProperties","definition":{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"PortProperties"}},{"$type":"Keyword","value":"properties"},{"$type":"Keyword","value":"{"},{"$type":"Group","elements":[{"$type":"Assignment","feature":"properties","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]}},{"$type":"Keyword","value":",","cardinality":"?"}],"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"IoEvent","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"kind","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"Updated"},{"$type":"Keyword","value":"ReadyToRead"},{"$type":"Keyword","value":"Triggered"}]}},{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@23"},"arguments":[]},"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"PortProperty","definition":{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"interpolation"},{"$type":"Keyword","value":"extrapolation"}]}},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Literal","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Keyword","value":"-","cardinality":"?"},{"$type":"RuleCall","rule":{"$ref":"#/rules@27"},"arguments":[]}]},{"$type":"Keyword","value":"true"},{"$type":"Keyword","value":"false"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"TemporalReferences","definition":{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"TemporalReferences"}},{"$type":"Keyword","value":"temporalreferences"},{"$type":"Keyword","value":"{"},{"$type":"Group","elements":[{"$type":"Assignment","feature":"references","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@20"},"arguments":[]}},{"$type":"Keyword","value":",","cardinality":"?"}],"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"TemporalReference","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"ModelTemporalReference"},{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@24"},"arguments":[]}},{"$type":"Keyword","value":"{"},{"$type":"Keyword","value":"reference"},{"$type":"Assignment","feature":"kind","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"time"},{"$type":"Keyword","value":"angle"},{"$type":"Keyword","value":"distance"}]}},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"UnitProperties","definition":{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"UnitProperties"}},{"$type":"Keyword","value":"properties"},{"$type":"Keyword","value":"{"},{"$type":"Group","elements":[{"$type":"Assignment","feature":"properties","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]}},{"$type":"Keyword","value":",","cardinality":"?"}],"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"UnitProperty","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"rollback"},{"$type":"Keyword","value":"Rollback"}]}},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"true"},{"$type":"Keyword","value":"false"}]},"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"EventName","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@25"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Name","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@25"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]},{"$type":"Keyword","value":"Interface"},{"$type":"Keyword","value":"SUPath"},{"$type":"Keyword","value":"FMUPath"},{"$type":"Keyword","value":"GemocExecutablePath"},{"$type":"Keyword","value":"ports"},{"$type":"Keyword","value":"Port"},{"$type":"Keyword","value":"direction"},{"$type":"Keyword","value":"INPUT"},{"$type":"Keyword","value":"OUTPUT"},{"$type":"Keyword","value":"nature"},{"$type":"Keyword","value":"continuous"},{"$type":"Keyword","value":"piecewiseContinuous"},{"$type":"Keyword","value":"piecewiseConstant"},{"$type":"Keyword","value":"constant"},{"$type":"Keyword","value":"transient"},{"$type":"Keyword","value":"type"},{"$type":"Keyword","value":"Real"},{"$type":"Keyword","value":"Integer"},{"$type":"Keyword","value":"Boolean"},{"$type":"Keyword","value":"String"},{"$type":"Keyword","value":"Enumeration"},{"$type":"Keyword","value":"Binary"},{"$type":"Keyword","value":"Clock"},{"$type":"Keyword","value":"initialValue"},{"$type":"Keyword","value":"initValue"},{"$type":"Keyword","value":"variableName"},{"$type":"Keyword","value":"monitored"},{"$type":"Keyword","value":"plotterColor"},{"$type":"Keyword","value":"temporalreference"},{"$type":"Keyword","value":"ioevents"},{"$type":"Keyword","value":"properties"},{"$type":"Keyword","value":"Updated"},{"$type":"Keyword","value":"ReadyToRead"},{"$type":"Keyword","value":"Triggered"},{"$type":"Keyword","value":"interpolation"},{"$type":"Keyword","value":"extrapolation"},{"$type":"Keyword","value":"temporalreferences"},{"$type":"Keyword","value":"ModelTemporalReference"},{"$type":"Keyword","value":"reference"},{"$type":"Keyword","value":"time"},{"$type":"Keyword","value":"angle"},{"$type":"Keyword","value":"distance"},{"$type":"Keyword","value":"rollback"},{"$type":"Keyword","value":"Rollback"},{"$type":"Keyword","value":"true"},{"$type":"Keyword","value":"false"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"TerminalRule","name":"ID","type":{"$type":"ReturnType","name":"string"},"definition":{"$type":"RegexToken","regex":"/[_a-zA-ZÀ-ÖØ-öø-\\\\u1FFF][_a-zA-ZÀ-ÖØ-öø-\\\\u1FFF0-9]*/","parenthesized":false},"fragment":false,"hidden":false},{"$type":"TerminalRule","name":"STRING","type":{"$type":"ReturnType","name":"string"},"definition":{"$type":"RegexToken","regex":"/\\"([^\\"\\\\\\\\\\\\r\\\\n]|\\\\\\\\[^\\\\r\\\\n])*\\"/","parenthesized":false},"fragment":false,"hidden":false},{"$type":"TerminalRule","name":"NUMBER","type":{"$type":"ReturnType","name":"string"},"definition":{"$type":"RegexToken","regex":"/[0-9]+(\\\\.[0-9]+)?([eE][-+]?[0-9]+)?/","parenthesized":false},"fragment":false,"hidden":false},{"$type":"TerminalRule","hidden":true,"name":"WS","definition":{"$type":"RegexToken","regex":"/\\\\s+/","parenthesized":false},"fragment":false},{"$type":"TerminalRule","hidden":true,"name":"ML_COMMENT","definition":{"$type":"RegexToken","regex":"/\\\\/\\\\*[\\\\s\\\\S]*?\\\\*\\\\//","parenthesized":false},"fragment":false},{"$type":"TerminalRule","hidden":true,"name":"SL_COMMENT","definition":{"$type":"RegexToken","regex":"/\\\\/\\\\/[^\\\\n\\\\r]*/","parenthesized":false},"fragment":false}],"imports":[],"interfaces":[],"types":[]}';

export const MCI_TYPES: AstMetaData = {
  ColorAttribute: {
    name: "ColorAttribute",
    properties: { value: { name: "value" } },
    superTypes: ["Attribute"],
  },
  DirectionAttribute: {
    name: "DirectionAttribute",
    properties: { value: { name: "value" } },
    superTypes: ["Attribute"],
  },
  EventsAttribute: {
    name: "EventsAttribute",
    properties: { events: { name: "events", defaultValue: [] } },
    superTypes: ["Attribute"],
  },
  InitialAttribute: {
    name: "InitialAttribute",
    properties: { value: { name: "value" } },
    superTypes: ["Attribute"],
  },
  Interface: {
    name: "Interface",
    properties: { name: { name: "name" }, parts: { name: "parts", defaultValue: [] } },
    superTypes: [],
  },
  IoEvent: {
    name: "IoEvent",
    properties: { kind: { name: "kind" }, name: { name: "name" } },
    superTypes: [],
  },
  MonitoredAttribute: {
    name: "MonitoredAttribute",
    properties: { value: { name: "value" } },
    superTypes: ["Attribute"],
  },
  NatureAttribute: {
    name: "NatureAttribute",
    properties: { value: { name: "value" } },
    superTypes: ["Attribute"],
  },
  Port: {
    name: "Port",
    properties: { attributes: { name: "attributes", defaultValue: [] }, name: { name: "name" } },
    superTypes: [],
  },
  PortProperties: {
    name: "PortProperties",
    properties: { properties: { name: "properties", defaultValue: [] } },
    superTypes: ["Attribute"],
  },
  PortProperty: { name: "PortProperty", properties: { name: { name: "name" } }, superTypes: [] },
  Ports: {
    name: "Ports",
    properties: { ports: { name: "ports", defaultValue: [] } },
    superTypes: ["Part"],
  },
  ReferenceAttribute: {
    name: "ReferenceAttribute",
    properties: { value: { name: "value" } },
    superTypes: ["Attribute"],
  },
  TemporalReference: {
    name: "TemporalReference",
    properties: { kind: { name: "kind" }, name: { name: "name" } },
    superTypes: [],
  },
  TemporalReferences: {
    name: "TemporalReferences",
    properties: { references: { name: "references", defaultValue: [] } },
    superTypes: ["Part"],
  },
  TypeAttribute: {
    name: "TypeAttribute",
    properties: { shape: { name: "shape", defaultValue: [] }, value: { name: "value" } },
    superTypes: ["Attribute"],
  },
  UnitPath: {
    name: "UnitPath",
    properties: { kind: { name: "kind" }, path: { name: "path" } },
    superTypes: ["Part"],
  },
  UnitProperties: {
    name: "UnitProperties",
    properties: { properties: { name: "properties", defaultValue: [] } },
    superTypes: ["Part"],
  },
  UnitProperty: {
    name: "UnitProperty",
    properties: { name: { name: "name" }, value: { name: "value" } },
    superTypes: [],
  },
  VariableAttribute: {
    name: "VariableAttribute",
    properties: { value: { name: "value" } },
    superTypes: ["Attribute"],
  },
};
