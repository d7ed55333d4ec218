/**
 * The schemas of SSP 1.0 and 2.0 as data: which elements may occur where, in which order and how
 * often, with which attributes, and which of them Cosimo does not use.
 *
 * Notation. Attributes: `name` is required, `name=` required and can be done without, `name?`
 * optional, `name~` optional and unused. Children, in the order of the schema: `a` once, `a=` once
 * and can be done without, `a?` at most once, `a*` any number, `a+` at least once, `a|b?` one of
 * several, `@a` only in SSP 2.0, `a>b` has the shape named b.
 */

export interface Shape {
  readonly attributes: string;
  readonly children?: string;
  /** Anything may be inside; what is of SSP is checked by its own shape. */
  readonly any?: boolean;
  /** Why Cosimo does not need it. */
  readonly unused?: string;
}

const DRAWING = "it only concerns drawings";
const META = "@ssc:MetaData* @ssc:Signature*";
const BASE = "id? description~";
const TOP = `${BASE} author~ fileversion~ copyright~ license~ generationTool? generationDateAndTime?`;
const INTEGERS =
  "ssX:Integer|@ssX:Int8|@ssX:UInt8|@ssX:Int16|@ssX:UInt16|@ssX:Int32|@ssX:UInt32|@ssX:Int64|@ssX:UInt64";
const TYPES = `ssX:Real|@ssX:Float64|@ssX:Float32|${INTEGERS}|ssX:Boolean|ssX:String|ssX:Enumeration|ssX:Binary`;
const CONNECTOR_TYPES = `${TYPES.replaceAll("ssX", "ssc")}|@ssc:Clock`;
const VALUE_TYPES = TYPES.replaceAll("ssX", "ssv");
const TRANSFORMATIONS =
  "ssc:LinearTransformation|ssc:BooleanMappingTransformation|ssc:IntegerMappingTransformation|ssc:EnumerationMappingTransformation?";
const ELEMENT = `ssd:Connectors? ssd:ElementGeometry? ssd:ParameterBindings? ${META}`;
const BOX = "x1 y1 x2 y2";

function annotated(zone: string): string {
  const newer = zone === "ssc" ? "" : "|@ssc:Annotations";
  return `${META} ${zone}:Annotations>Annotations${newer}?`;
}

const PLAIN: Shape = { attributes: "" };
const WITH_UNIT: Shape = { attributes: "unit?" };
const NUMBER: Shape = { attributes: "value" };
const MEASURED: Shape = { attributes: "value unit?" };
const MAP: Shape = { attributes: "", children: "ssc:MapEntry+" };

function each(names: string, shape: Shape): Readonly<Record<string, Shape>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, shape]));
}

const INTEGER_NAMES = "Integer Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64";
const prefixed = (prefix: string, names: string): string =>
  names.replaceAll(/\w+/g, (name) => `${prefix}:${name}`);

export const SHAPES: Readonly<Record<string, Shape>> = {
  "ssd:SystemStructureDescription": {
    attributes: `version= name= ${TOP.replace("description~", "description?")}`,
    children: `ssd:System ssd:Enumerations>Enumerations? ssd:Units>Units? ssd:DefaultExperiment? ${annotated("ssd")} @ssd:SSDVariant?`,
  },
  "ssd:SSDVariant": {
    attributes: `name baseSSD kind ${BASE}`,
    unused: "a variant stands alone",
  },
  "ssd:DefaultExperiment": { attributes: "startTime? stopTime?", children: annotated("ssd") },
  "ssd:System": {
    attributes: `name ${BASE}`,
    children: `${ELEMENT} ssd:Elements? ssd:Connections? ssd:SignalDictionaries? ssd:SystemGeometry? ssd:GraphicalElements? ${annotated("ssd")}`,
  },
  "ssd:Elements": {
    attributes: "",
    children: "ssd:Component|ssd:SignalDictionaryReference|ssd:System+",
  },
  "ssd:Component": {
    attributes: `name type? source? implementation? ${BASE}`,
    children: `${ELEMENT} ${annotated("ssd")}`,
  },
  "ssd:SignalDictionaryReference": {
    attributes: `name dictionary ${BASE}`,
    children: `${ELEMENT} ${annotated("ssd")}`,
  },
  "ssd:Connectors": { attributes: "", children: "ssd:Connector+" },
  "ssd:Connector": {
    attributes: `name kind= ${BASE}`,
    children: `${CONNECTOR_TYPES}? @ssc:Dimension* @ssd:Clock* ssd:ConnectorGeometry? ${annotated("ssd")}`,
  },
  "ssd:Clock": { attributes: "name", unused: "the FMU says which clocks its variables have" },
  "ssd:Connections": { attributes: "", children: "ssd:Connection+" },
  "ssd:Connection": {
    attributes: `startElement? startConnector startIndices? endElement? endConnector endIndices? suppressUnitConversion? ${BASE}`,
    children: `${TRANSFORMATIONS} ssd:ConnectionGeometry? ${annotated("ssd")}`,
  },
  "ssd:SignalDictionaries": { attributes: "", children: "ssd:SignalDictionary+" },
  "ssd:SignalDictionary": { attributes: `name type? source? ${BASE}`, any: true },
  "ssd:ParameterBindings": { attributes: "", children: "ssd:ParameterBinding+" },
  "ssd:ParameterBinding": {
    attributes: `type? source? sourceBase? prefix? ${BASE}`,
    children: `ssd:ParameterValues? ssd:ParameterMapping? ${annotated("ssd")}`,
  },
  "ssd:ParameterValues": { attributes: "", any: true },
  "ssd:ParameterMapping": { attributes: `type? source? sourceBase? ${BASE}`, any: true },
  "ssd:ElementGeometry": {
    attributes: `${BOX} rotation? iconSource? iconRotation? iconFlip? iconFixedAspectRatio?`,
    unused: DRAWING,
  },
  "ssd:ConnectorGeometry": { attributes: "x y systemInnerX? systemInnerY?", unused: DRAWING },
  "ssd:ConnectionGeometry": { attributes: "pointsX pointsY", unused: DRAWING },
  "ssd:SystemGeometry": { attributes: BOX, unused: DRAWING },
  "ssd:GraphicalElements": { attributes: "", children: "ssd:Note+", unused: DRAWING },
  "ssd:Note": { attributes: `${BOX} text` },

  Enumerations: { attributes: "", children: "ssc:Enumeration>EnumerationDefinition+" },
  EnumerationDefinition: { attributes: `name ${BASE}`, children: `ssc:Item+ ${annotated("ssc")}` },
  "ssc:Item": { attributes: "name value" },
  Units: { attributes: "", children: "ssc:Unit+" },
  "ssc:Unit": {
    attributes: `name ${BASE}`,
    children: `ssc:BaseUnit= @ssc:DisplayUnit* ${annotated("ssc")}`,
  },
  "ssc:BaseUnit": { attributes: "kg? m? s? A? K? mol? cd? rad? factor? offset?" },
  "ssc:DisplayUnit": { attributes: "name factor? offset? inverse?", unused: DRAWING },
  Annotations: { attributes: "", children: "ssc:Annotation+" },
  "ssc:Annotations": { attributes: "", children: "ssc:Annotation+" },
  "ssc:Annotation": { attributes: "type", any: true },
  "ssc:MetaData": {
    attributes: `kind type source? sourceBase? ${BASE}`,
    any: true,
    unused: "it does not change the simulation",
  },
  "ssc:Signature": {
    attributes: `role type source? sourceBase? ${BASE}`,
    any: true,
    unused: "signatures are not verified",
  },
  "ssc:Dimension": { attributes: "size? sizeConnector?" },
  ...each(prefixed("ssc", "Real Float64 Float32"), WITH_UNIT),
  ...each(prefixed("ssc", `${INTEGER_NAMES} Boolean String`), PLAIN),
  "ssc:Enumeration": { attributes: "name=" },
  "ssc:Binary": { attributes: "mime-type~" },
  "ssc:Clock": {
    attributes:
      "intervalVariability? intervalDecimal? shiftDecimal? supportsFraction? resolution? intervalCounter? shiftCounter? priority?",
  },
  "ssc:LinearTransformation": { attributes: "factor? offset?" },
  ...each("ssc:BooleanMappingTransformation ssc:IntegerMappingTransformation", MAP),
  "ssc:EnumerationMappingTransformation": MAP,
  "ssc:MapEntry": { attributes: "source target" },

  "ssv:ParameterSet": {
    attributes: `version= name= ${TOP}`,
    children: `ssv:Parameters ssv:Enumerations>Enumerations? ssv:Units>Units? ${annotated("ssv")}`,
  },
  "ssv:Parameters": { attributes: "", children: "ssv:Parameter*" },
  "ssv:Parameter": {
    attributes: `name ${BASE}`,
    children: `${VALUE_TYPES} @ssc:Dimension* ${annotated("ssv")}`,
  },
  ...each(prefixed("ssv", "Real Float64 Float32"), MEASURED),
  ...each(prefixed("ssv", `${INTEGER_NAMES} Boolean`), NUMBER),
  "ssv:String": { attributes: "value?", children: "@ssv:Value*" },
  "ssv:Enumeration": { attributes: "value? name?", children: "@ssv:Value*" },
  "ssv:Binary": { attributes: "value? mime-type~", children: "@ssv:Value*" },
  "ssv:Value": { attributes: "value" },

  "ssm:ParameterMapping": {
    attributes: `version= ${TOP}`,
    children: `ssm:MappingEntry* ${annotated("ssm")}`,
  },
  "ssm:MappingEntry": {
    attributes: `source target suppressUnitConversion? ${BASE}`,
    children: `${TRANSFORMATIONS} ${annotated("ssm")}`,
  },

  "ssb:SignalDictionary": {
    attributes: `version= ${TOP}`,
    children: `ssb:DictionaryEntry* ssb:Enumerations>Enumerations? ssb:Units>Units? ${annotated("ssb")}`,
  },
  "ssb:DictionaryEntry": {
    attributes: `name ${BASE}`,
    children: `${CONNECTOR_TYPES} @ssc:Dimension* ${annotated("ssb")}`,
  },
};
