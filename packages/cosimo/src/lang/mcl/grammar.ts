/**
 * The grammar of mcl.langium as Langium loads it. Made by scripts/grammars.mjs; do not edit.
 */
import type { AstMetaData } from "langium";

export const MCL_GRAMMAR: string =
  '{"$type":"Grammar","isDeclared":true,"name":"MCL","rules":[{"$type":"ParserRule","entry":true,"name":"Specification","definition":{"$type":"Alternatives","elements":[{"$type":"Assignment","feature":"loads","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@1"},"arguments":[]}},{"$type":"Assignment","feature":"experiments","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@2"},"arguments":[]}},{"$type":"Assignment","feature":"connectors","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@4"},"arguments":[]}}],"cardinality":"*"},"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Load","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"load"},{"$type":"Assignment","feature":"path","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@25"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":"as"},{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]}}],"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Experiment","definition":{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Experiment"}},{"$type":"Keyword","value":"experiment"},{"$type":"Keyword","value":"{"},{"$type":"Group","elements":[{"$type":"Assignment","feature":"settings","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@3"},"arguments":[]}},{"$type":"Alternatives","elements":[{"$type":"Keyword","value":","},{"$type":"Keyword","value":";"}],"cardinality":"?"}],"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Setting","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"key","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"start"},{"$type":"Keyword","value":"stop"},{"$type":"Keyword","value":"step"}]}},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@13"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Connector","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"Connector"},{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":"("},{"$type":"Keyword","value":"from"},{"$type":"Assignment","feature":"from","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}},{"$type":"Keyword","value":"to"},{"$type":"Assignment","feature":"to","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}},{"$type":"Keyword","value":")"}],"cardinality":"?"},{"$type":"Group","elements":[{"$type":"Keyword","value":"when"},{"$type":"Assignment","feature":"trigger","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@5"},"arguments":[]}}],"cardinality":"?"},{"$type":"Group","elements":[{"$type":"Keyword","value":"sync"},{"$type":"Assignment","feature":"sync","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@11"},"arguments":[]}}],"cardinality":"?"},{"$type":"Keyword","value":"do"},{"$type":"Group","elements":[{"$type":"Assignment","feature":"interactions","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@12"},"arguments":[]}},{"$type":"Alternatives","elements":[{"$type":"Keyword","value":","},{"$type":"Keyword","value":";"}],"cardinality":"?"}],"cardinality":"+"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Trigger","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@6"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@7"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@8"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@9"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@10"},"arguments":[]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Every","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"every"},{"$type":"Assignment","feature":"period","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}},{"$type":"Alternatives","elements":[{"$type":"Assignment","feature":"unit","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@14"},"arguments":[]}},{"$type":"Assignment","feature":"reference","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}}],"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Event","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"event"},{"$type":"Keyword","value":"on"},{"$type":"Assignment","feature":"port","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}},{"$type":"Keyword","value":"occurs"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Updated","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"value"},{"$type":"Keyword","value":"on"},{"$type":"Assignment","feature":"port","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}},{"$type":"Keyword","value":"has"},{"$type":"Keyword","value":"been"},{"$type":"Keyword","value":"Updated"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"ReadyToRead","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"value"},{"$type":"Keyword","value":"on"},{"$type":"Assignment","feature":"port","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}},{"$type":"Keyword","value":"is"},{"$type":"Keyword","value":"ReadyToRead"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Threshold","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"value"},{"$type":"Keyword","value":"on"},{"$type":"Assignment","feature":"port","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}},{"$type":"Alternatives","elements":[{"$type":"Group","elements":[{"$type":"Assignment","feature":"direction","operator":"=","terminal":{"$type":"Keyword","value":"rises"}},{"$type":"Keyword","value":"above"}]},{"$type":"Group","elements":[{"$type":"Assignment","feature":"direction","operator":"=","terminal":{"$type":"Keyword","value":"falls"}},{"$type":"Keyword","value":"below"}]}]},{"$type":"Assignment","feature":"isNegative","operator":"?=","terminal":{"$type":"Keyword","value":"-"},"cardinality":"?"},{"$type":"Assignment","feature":"level","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Synchronization","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"left","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}},{"$type":"Keyword","value":"="},{"$type":"Assignment","feature":"right","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":"within"},{"$type":"Assignment","feature":"tolerance","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@13"},"arguments":[]}}],"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Interaction","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"source","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@15"},"arguments":[]}},{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"->"},{"$type":"Keyword","value":"-->"},{"$type":"Keyword","value":"→"}]},{"$type":"Assignment","feature":"isNegated","operator":"?=","terminal":{"$type":"Keyword","value":"not"},"cardinality":"?"},{"$type":"Assignment","feature":"target","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Quantity","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"isNegative","operator":"?=","terminal":{"$type":"Keyword","value":"-"},"cardinality":"?"},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}},{"$type":"Assignment","feature":"unit","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@14"},"arguments":[]},"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"TimeUnit","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"s"},{"$type":"Keyword","value":"ms"},{"$type":"Keyword","value":"us"},{"$type":"Keyword","value":"ns"},{"$type":"Keyword","value":"min"},{"$type":"Keyword","value":"h"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Expression","definition":{"$type":"RuleCall","rule":{"$ref":"#/rules@16"},"arguments":[]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Sum","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Group","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Binary"},"feature":"left","operator":"="},{"$type":"Assignment","feature":"operator","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"+"},{"$type":"Keyword","value":"-"}]}},{"$type":"Assignment","feature":"right","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]}}],"cardinality":"*"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Product","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Group","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@18"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Binary"},"feature":"left","operator":"="},{"$type":"Assignment","feature":"operator","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"*"},{"$type":"Keyword","value":"/"}]}},{"$type":"Assignment","feature":"right","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@18"},"arguments":[]}}],"cardinality":"*"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Signed","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@19"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Unary"}},{"$type":"Assignment","feature":"operator","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"-"},{"$type":"Keyword","value":"not"}]}},{"$type":"Assignment","feature":"operand","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@18"},"arguments":[]}}]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Primary","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Alternatives","elements":[{"$type":"Group","elements":[{"$type":"Keyword","value":"("},{"$type":"RuleCall","rule":{"$ref":"#/rules@15"},"arguments":[]},{"$type":"Keyword","value":")"}]},{"$type":"RuleCall","rule":{"$ref":"#/rules@20"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"NumberLiteral","definition":{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"PortName","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"unit","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]}},{"$type":"Keyword","value":"."},{"$type":"Assignment","feature":"port","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@23"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":"."},{"$type":"Assignment","feature":"port","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@23"},"arguments":[]}}],"cardinality":"*"},{"$type":"Group","elements":[{"$type":"Keyword","value":"["},{"$type":"Assignment","feature":"element","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":","},{"$type":"Assignment","feature":"element","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}}],"cardinality":"*"},{"$type":"Keyword","value":"]"}],"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"UnitName","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@24"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@25"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@14"},"arguments":[]},{"$type":"Keyword","value":"start"},{"$type":"Keyword","value":"stop"},{"$type":"Keyword","value":"step"},{"$type":"Keyword","value":"from"},{"$type":"Keyword","value":"to"},{"$type":"Keyword","value":"as"},{"$type":"Keyword","value":"on"},{"$type":"Keyword","value":"occurs"},{"$type":"Keyword","value":"has"},{"$type":"Keyword","value":"been"},{"$type":"Keyword","value":"is"},{"$type":"Keyword","value":"event"},{"$type":"Keyword","value":"value"},{"$type":"Keyword","value":"every"},{"$type":"Keyword","value":"within"},{"$type":"Keyword","value":"Updated"},{"$type":"Keyword","value":"ReadyToRead"},{"$type":"Keyword","value":"rises"},{"$type":"Keyword","value":"above"},{"$type":"Keyword","value":"falls"},{"$type":"Keyword","value":"below"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"PortPart","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]},{"$type":"Keyword","value":"load"},{"$type":"Keyword","value":"experiment"},{"$type":"Keyword","value":"Connector"},{"$type":"Keyword","value":"when"},{"$type":"Keyword","value":"sync"},{"$type":"Keyword","value":"do"},{"$type":"Keyword","value":"not"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"TerminalRule","name":"ID","type":{"$type":"ReturnType","name":"string"},"definition":{"$type":"RegexToken","regex":"/[_a-zA-ZÀ-ÖØ-öø-\\\\u1FFF][_a-zA-ZÀ-ÖØ-öø-\\\\u1FFF0-9]*/","parenthesized":false},"fragment":false,"hidden":false},{"$type":"TerminalRule","name":"STRING","type":{"$type":"ReturnType","name":"string"},"definition":{"$type":"RegexToken","regex":"/\\"([^\\"\\\\\\\\\\\\r\\\\n]|\\\\\\\\[^\\\\r\\\\n])*\\"/","parenthesized":false},"fragment":false,"hidden":false},{"$type":"TerminalRule","name":"NUMBER","type":{"$type":"ReturnType","name":"string"},"definition":{"$type":"RegexToken","regex":"/[0-9]+(\\\\.[0-9]+)?([eE][-+]?[0-9]+)?/","parenthesized":false},"fragment":false,"hidden":false},{"$type":"TerminalRule","hidden":true,"name":"WS","definition":{"$type":"RegexToken","regex":"/\\\\s+/","parenthesized":false},"fragment":false},{"$type":"TerminalRule","hidden":true,"name":"ML_COMMENT","definition":{"$type":"RegexToken","regex":"/\\\\/\\\\*[\\\\s\\\\S]*?\\\\*\\\\//","parenthesized":false},"fragment":false},{"$type":"TerminalRule","hidden":true,"name":"SL_COMMENT","definition":{"$type":"RegexToken","regex":"/\\\\/\\\\/[^\\\\n\\\\r]*/","parenthesized":false},"fragment":false}],"imports":[],"interfaces":[],"types":[]}';

export const MCL_TYPES: AstMetaData = {
  Binary: {
    name: "Binary",
    properties: {
      left: { name: "left" },
      operator: { name: "operator" },
      right: { name: "right" },
    },
    superTypes: ["Expression"],
  },
  Connector: {
    name: "Connector",
    properties: {
      from: { name: "from" },
      interactions: { name: "interactions", defaultValue: [] },
      name: { name: "name" },
      sync: { name: "sync" },
      to: { name: "to" },
      trigger: { name: "trigger" },
    },
    superTypes: [],
  },
  Event: { name: "Event", properties: { port: { name: "port" } }, superTypes: ["Trigger"] },
  Every: {
    name: "Every",
    properties: {
      period: { name: "period" },
      reference: { name: "reference" },
      unit: { name: "unit" },
    },
    superTypes: ["Trigger"],
  },
  Experiment: {
    name: "Experiment",
    properties: { settings: { name: "settings", defaultValue: [] } },
    superTypes: [],
  },
  Interaction: {
    name: "Interaction",
    properties: {
      isNegated: { name: "isNegated", defaultValue: false },
      source: { name: "source" },
      target: { name: "target" },
    },
    superTypes: [],
  },
  Load: {
    name: "Load",
    properties: { name: { name: "name" }, path: { name: "path" } },
    superTypes: [],
  },
  NumberLiteral: {
    name: "NumberLiteral",
    properties: { value: { name: "value" } },
    superTypes: ["Expression"],
  },
  PortName: {
    name: "PortName",
    properties: {
      element: { name: "element", defaultValue: [] },
      port: { name: "port", defaultValue: [] },
      unit: { name: "unit" },
    },
    superTypes: ["Expression"],
  },
  Quantity: {
    name: "Quantity",
    properties: {
      isNegative: { name: "isNegative", defaultValue: false },
      unit: { name: "unit" },
      value: { name: "value" },
    },
    superTypes: [],
  },
  ReadyToRead: {
    name: "ReadyToRead",
    properties: { port: { name: "port" } },
    superTypes: ["Trigger"],
  },
  Setting: {
    name: "Setting",
    properties: { key: { name: "key" }, value: { name: "value" } },
    superTypes: [],
  },
  Specification: {
    name: "Specification",
    properties: {
      connectors: { name: "connectors", defaultValue: [] },
      experiments: { name: "experiments", defaultValue: [] },
      loads: { name: "loads", defaultValue: [] },
    },
    superTypes: [],
  },
  Synchronization: {
    name: "Synchronization",
    properties: {
      left: { name: "left" },
      right: { name: "right" },
      tolerance: { name: "tolerance" },
    },
    superTypes: [],
  },
  Threshold: {
    name: "Threshold",
    properties: {
      direction: { name: "direction" },
      isNegative: { name: "isNegative", defaultValue: false },
      level: { name: "level" },
      port: { name: "port" },
    },
    superTypes: ["Trigger"],
  },
  Unary: {
    name: "Unary",
    properties: { operand: { name: "operand" }, operator: { name: "operator" } },
    superTypes: ["Expression"],
  },
  Updated: { name: "Updated", properties: { port: { name: "port" } }, superTypes: ["Trigger"] },
};
