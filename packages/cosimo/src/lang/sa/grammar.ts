/**
 * The grammar of sa.langium as Langium loads it. Made by scripts/grammars.mjs; do not edit.
 */
import type { AstMetaData } from "langium";

export const SA_GRAMMAR: string =
  '{"$type":"Grammar","isDeclared":true,"name":"SA","rules":[{"$type":"ParserRule","entry":true,"name":"SemanticAdaptation","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"semantic"},{"$type":"Keyword","value":"adaptation"},{"$type":"Assignment","feature":"inputKind","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@1"},"arguments":[]},"cardinality":"?"},{"$type":"Assignment","feature":"outputKind","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@2"},"arguments":[]},"cardinality":"?"},{"$type":"Assignment","feature":"type","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":"at"},{"$type":"Assignment","feature":"target","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@50"},"arguments":[]}}],"cardinality":"?"},{"$type":"Assignment","feature":"inner","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@3"},"arguments":[]},"cardinality":"*"},{"$type":"Assignment","feature":"sections","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@6"},"arguments":[]},"cardinality":"*"}]},"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"InputKind","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"reactive"},{"$type":"Keyword","value":"delayed"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"OutputKind","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"mealy"},{"$type":"Keyword","value":"moore"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"InnerUnit","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"for"},{"$type":"Keyword","value":"inner"},{"$type":"Keyword","value":"fmu"},{"$type":"Assignment","feature":"type","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":"at"},{"$type":"Assignment","feature":"source","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@50"},"arguments":[]}}],"cardinality":"?"},{"$type":"Group","elements":[{"$type":"Keyword","value":"with"},{"$type":"Assignment","feature":"inputs","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@7"},"arguments":[]}}],"cardinality":"?"},{"$type":"Group","elements":[{"$type":"Keyword","value":"with"},{"$type":"Assignment","feature":"outputs","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@8"},"arguments":[]}}],"cardinality":"?"},{"$type":"Assignment","feature":"connections","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@4"},"arguments":[]},"cardinality":"*"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Connection","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"with"},{"$type":"Assignment","feature":"from","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@5"},"arguments":[]}},{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"->"},{"$type":"Keyword","value":"-->"},{"$type":"Keyword","value":"→"}]},{"$type":"Assignment","feature":"to","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@5"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"PortName","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"unit","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Keyword","value":"."},{"$type":"Assignment","feature":"port","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Section","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@7"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@8"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@13"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@14"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@18"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@15"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@19"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@16"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@20"},"arguments":[]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"InputPorts","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"input"},{"$type":"Keyword","value":"ports"},{"$type":"Assignment","feature":"ports","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@9"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":",","cardinality":"?"},{"$type":"Assignment","feature":"ports","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@9"},"arguments":[]}}],"cardinality":"*"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"OutputPorts","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"output"},{"$type":"Keyword","value":"ports"},{"$type":"Assignment","feature":"ports","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@9"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":",","cardinality":"?"},{"$type":"Assignment","feature":"ports","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@9"},"arguments":[]}}],"cardinality":"*"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Port","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":":"},{"$type":"Assignment","feature":"type","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@10"},"arguments":[]}}],"cardinality":"?"},{"$type":"Group","elements":[{"$type":"Keyword","value":"("},{"$type":"Assignment","feature":"unit","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@11"},"arguments":[]}},{"$type":"Keyword","value":")"}],"cardinality":"?"},{"$type":"Alternatives","elements":[{"$type":"Group","elements":[{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"->"},{"$type":"Keyword","value":"-->"},{"$type":"Keyword","value":"→"}]},{"$type":"Assignment","feature":"target","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@5"},"arguments":[]}}]},{"$type":"Group","elements":[{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"<-"},{"$type":"Keyword","value":"←"}]},{"$type":"Assignment","feature":"source","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@5"},"arguments":[]}}]}],"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"TypeName","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"real"},{"$type":"Keyword","value":"integer"},{"$type":"Keyword","value":"boolean"},{"$type":"Keyword","value":"string"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"PhysicalUnit","dataType":"string","definition":{"$type":"RuleCall","rule":{"$ref":"#/rules@12"},"arguments":[],"cardinality":"+"},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"UnitPart","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@51"},"arguments":[]},{"$type":"Keyword","value":"in"},{"$type":"Keyword","value":"."},{"$type":"Keyword","value":"/"},{"$type":"Keyword","value":"*"},{"$type":"Keyword","value":"^"},{"$type":"Keyword","value":"-"},{"$type":"Keyword","value":"%"},{"$type":"Keyword","value":"·"},{"$type":"Group","elements":[{"$type":"Keyword","value":"("},{"$type":"RuleCall","rule":{"$ref":"#/rules@12"},"arguments":[],"cardinality":"+"},{"$type":"Keyword","value":")"}]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Parameters","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"param"},{"$type":"Assignment","feature":"declarations","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Alternatives","elements":[{"$type":"Keyword","value":","},{"$type":"Keyword","value":";"}],"cardinality":"?"},{"$type":"Assignment","feature":"declarations","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]}}],"cardinality":"*"},{"$type":"Keyword","value":";","cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"ControlVariables","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"control"},{"$type":"Keyword","value":"var"},{"$type":"Assignment","feature":"declarations","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Alternatives","elements":[{"$type":"Keyword","value":","},{"$type":"Keyword","value":";"}],"cardinality":"?"},{"$type":"Assignment","feature":"declarations","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]}}],"cardinality":"*"},{"$type":"Keyword","value":";","cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"InVariables","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"in"},{"$type":"Keyword","value":"var"},{"$type":"Assignment","feature":"declarations","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Alternatives","elements":[{"$type":"Keyword","value":","},{"$type":"Keyword","value":";"}],"cardinality":"?"},{"$type":"Assignment","feature":"declarations","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]}}],"cardinality":"*"},{"$type":"Keyword","value":";","cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"OutVariables","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"out"},{"$type":"Keyword","value":"var"},{"$type":"Assignment","feature":"declarations","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Alternatives","elements":[{"$type":"Keyword","value":","},{"$type":"Keyword","value":";"}],"cardinality":"?"},{"$type":"Assignment","feature":"declarations","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@17"},"arguments":[]}}],"cardinality":"*"},{"$type":"Keyword","value":";","cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Declaration","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":":"},{"$type":"Assignment","feature":"type","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@10"},"arguments":[]}}],"cardinality":"?"},{"$type":"Keyword","value":":="},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@32"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"ControlRules","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"control"},{"$type":"Keyword","value":"rules"},{"$type":"Keyword","value":"{"},{"$type":"Assignment","feature":"statements","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@23"},"arguments":[]},"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"InRules","definition":{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"InRules"}},{"$type":"Keyword","value":"in"},{"$type":"Keyword","value":"rules"},{"$type":"Keyword","value":"{"},{"$type":"Assignment","feature":"rules","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]},"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"OutRules","definition":{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"OutRules"}},{"$type":"Keyword","value":"out"},{"$type":"Keyword","value":"rules"},{"$type":"Keyword","value":"{"},{"$type":"Assignment","feature":"rules","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@21"},"arguments":[]},"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Rule","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"condition","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@32"},"arguments":[]}},{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"->"},{"$type":"Keyword","value":"-->"},{"$type":"Keyword","value":"→"},{"$type":"Keyword","value":"=>"},{"$type":"Keyword","value":">"}]},{"$type":"Assignment","feature":"first","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]}},{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"->"},{"$type":"Keyword","value":"-->"},{"$type":"Keyword","value":"→"},{"$type":"Keyword","value":"=>"},{"$type":"Keyword","value":">"}]},{"$type":"Assignment","feature":"second","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]}},{"$type":"Keyword","value":";","cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Block","definition":{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Block"}},{"$type":"Keyword","value":"{"},{"$type":"Assignment","feature":"statements","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@23"},"arguments":[]},"cardinality":"*"},{"$type":"Keyword","value":"}"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Statement","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@24"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@25"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@27"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@28"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@29"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@30"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@31"},"arguments":[]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Assignment","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"target","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@46"},"arguments":[]}},{"$type":"Keyword","value":":="},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@32"},"arguments":[]}},{"$type":"Keyword","value":";"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Variable","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"var"},{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":":"},{"$type":"Assignment","feature":"type","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@10"},"arguments":[]}}],"cardinality":"?"},{"$type":"Keyword","value":":="},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@32"},"arguments":[]}},{"$type":"Keyword","value":";"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"If","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"if"},{"$type":"Assignment","feature":"condition","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@32"},"arguments":[]}},{"$type":"Assignment","feature":"body","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":"else"},{"$type":"Alternatives","elements":[{"$type":"Assignment","feature":"otherwise","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]}},{"$type":"Assignment","feature":"otherwiseIf","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@26"},"arguments":[]}}]}],"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"For","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"for"},{"$type":"Keyword","value":"("},{"$type":"Keyword","value":"var","cardinality":"?"},{"$type":"Assignment","feature":"variable","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Keyword","value":"in"},{"$type":"Assignment","feature":"from","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@38"},"arguments":[]}},{"$type":"Keyword","value":".."},{"$type":"Assignment","feature":"to","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@38"},"arguments":[]}},{"$type":"Keyword","value":")"},{"$type":"Assignment","feature":"body","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"While","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"while"},{"$type":"Assignment","feature":"condition","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@32"},"arguments":[]}},{"$type":"Assignment","feature":"body","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@22"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Break","definition":{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Break"}},{"$type":"Keyword","value":"break"},{"$type":"Keyword","value":";"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Return","definition":{"$type":"Group","elements":[{"$type":"Keyword","value":"return"},{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@32"},"arguments":[]}},{"$type":"Keyword","value":";"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"CallStatement","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"call","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@45"},"arguments":[]}},{"$type":"Keyword","value":";"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Expression","definition":{"$type":"RuleCall","rule":{"$ref":"#/rules@33"},"arguments":[]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Conditional","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Group","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@34"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Conditional"},"feature":"condition","operator":"="},{"$type":"Keyword","value":"?"},{"$type":"Assignment","feature":"whenTrue","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@33"},"arguments":[]}},{"$type":"Keyword","value":":"},{"$type":"Assignment","feature":"whenFalse","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@33"},"arguments":[]}}],"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Or","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Group","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@35"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Binary"},"feature":"left","operator":"="},{"$type":"Assignment","feature":"operator","operator":"=","terminal":{"$type":"Keyword","value":"or"}},{"$type":"Assignment","feature":"right","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@35"},"arguments":[]}}],"cardinality":"*"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"And","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Group","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@36"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Binary"},"feature":"left","operator":"="},{"$type":"Assignment","feature":"operator","operator":"=","terminal":{"$type":"Keyword","value":"and"}},{"$type":"Assignment","feature":"right","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@36"},"arguments":[]}}],"cardinality":"*"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Negation","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@37"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Unary"}},{"$type":"Assignment","feature":"operator","operator":"=","terminal":{"$type":"Keyword","value":"not"}},{"$type":"Assignment","feature":"operand","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@36"},"arguments":[]}}]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Comparison","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Group","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@38"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Binary"},"feature":"left","operator":"="},{"$type":"Assignment","feature":"operator","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"<"},{"$type":"Keyword","value":"<="},{"$type":"Keyword","value":">"},{"$type":"Keyword","value":">="},{"$type":"Keyword","value":"=="},{"$type":"Keyword","value":"!="}]}},{"$type":"Assignment","feature":"right","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@38"},"arguments":[]}}],"cardinality":"?"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Sum","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Group","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@39"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Binary"},"feature":"left","operator":"="},{"$type":"Assignment","feature":"operator","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"+"},{"$type":"Keyword","value":"-"}]}},{"$type":"Assignment","feature":"right","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@39"},"arguments":[]}}],"cardinality":"*"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Product","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Group","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@40"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Binary"},"feature":"left","operator":"="},{"$type":"Assignment","feature":"operator","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"*"},{"$type":"Keyword","value":"/"},{"$type":"Keyword","value":"%"}]}},{"$type":"Assignment","feature":"right","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@40"},"arguments":[]}}],"cardinality":"*"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Signed","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@41"},"arguments":[]},{"$type":"Group","elements":[{"$type":"Action","inferredType":{"$type":"InferredType","name":"Unary"}},{"$type":"Assignment","feature":"operator","operator":"=","terminal":{"$type":"Keyword","value":"-"}},{"$type":"Assignment","feature":"operand","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@40"},"arguments":[]}}]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Primary","inferredType":{"$type":"InferredType","name":"Expression"},"definition":{"$type":"Alternatives","elements":[{"$type":"Group","elements":[{"$type":"Keyword","value":"("},{"$type":"RuleCall","rule":{"$ref":"#/rules@32"},"arguments":[]},{"$type":"Keyword","value":")"}]},{"$type":"RuleCall","rule":{"$ref":"#/rules@42"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@43"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@44"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@45"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@46"},"arguments":[]}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"NumberLiteral","definition":{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@51"},"arguments":[]}},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"BooleanLiteral","definition":{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"Alternatives","elements":[{"$type":"Keyword","value":"true"},{"$type":"Keyword","value":"false"}]}},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"StringLiteral","definition":{"$type":"Assignment","feature":"value","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@50"},"arguments":[]}},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Call","definition":{"$type":"Group","elements":[{"$type":"Assignment","feature":"callee","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Keyword","value":"("},{"$type":"Group","elements":[{"$type":"Assignment","feature":"arguments","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@32"},"arguments":[]}},{"$type":"Group","elements":[{"$type":"Keyword","value":","},{"$type":"Assignment","feature":"arguments","operator":"+=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@32"},"arguments":[]}}],"cardinality":"*"}],"cardinality":"?"},{"$type":"Keyword","value":")"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Reference","definition":{"$type":"Group","elements":[{"$type":"Group","elements":[{"$type":"Assignment","feature":"unit","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}},{"$type":"Keyword","value":"."}],"cardinality":"?"},{"$type":"Assignment","feature":"name","operator":"=","terminal":{"$type":"RuleCall","rule":{"$ref":"#/rules@47"},"arguments":[]}}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"ParserRule","name":"Name","dataType":"string","definition":{"$type":"Alternatives","elements":[{"$type":"RuleCall","rule":{"$ref":"#/rules@48"},"arguments":[]},{"$type":"RuleCall","rule":{"$ref":"#/rules@49"},"arguments":[]},{"$type":"Keyword","value":"semantic"},{"$type":"Keyword","value":"adaptation"},{"$type":"Keyword","value":"reactive"},{"$type":"Keyword","value":"delayed"},{"$type":"Keyword","value":"mealy"},{"$type":"Keyword","value":"moore"},{"$type":"Keyword","value":"inner"},{"$type":"Keyword","value":"fmu"},{"$type":"Keyword","value":"at"},{"$type":"Keyword","value":"ports"},{"$type":"Keyword","value":"rules"},{"$type":"Keyword","value":"real"},{"$type":"Keyword","value":"integer"},{"$type":"Keyword","value":"boolean"},{"$type":"Keyword","value":"string"}]},"entry":false,"fragment":false,"parameters":[]},{"$type":"TerminalRule","name":"ID","type":{"$type":"ReturnType","name":"string"},"definition":{"$type":"RegexToken","regex":"/[_a-zA-Z°µ‰À-ÖØ-öø-\\\\u1FFFΩÅ][_a-zA-Z°µ‰À-ÖØ-öø-\\\\u1FFFΩÅ0-9²³¹⁰-ₜ]*/","parenthesized":false},"fragment":false,"hidden":false},{"$type":"TerminalRule","name":"QUOTED","type":{"$type":"ReturnType","name":"string"},"definition":{"$type":"RegexToken","regex":"/\'([^\'\\\\\\\\\\\\r\\\\n]|\\\\\\\\[^\\\\r\\\\n])+\'/","parenthesized":false},"fragment":false,"hidden":false},{"$type":"TerminalRule","name":"STRING","type":{"$type":"ReturnType","name":"string"},"definition":{"$type":"RegexToken","regex":"/\\"([^\\"\\\\\\\\\\\\r\\\\n]|\\\\\\\\[^\\\\r\\\\n])*\\"/","parenthesized":false},"fragment":false,"hidden":false},{"$type":"TerminalRule","name":"NUMBER","type":{"$type":"ReturnType","name":"string"},"definition":{"$type":"RegexToken","regex":"/[0-9]+(\\\\.[0-9]+)?([eE][-+]?[0-9]+)?/","parenthesized":false},"fragment":false,"hidden":false},{"$type":"TerminalRule","hidden":true,"name":"WS","definition":{"$type":"RegexToken","regex":"/\\\\s+/","parenthesized":false},"fragment":false},{"$type":"TerminalRule","hidden":true,"name":"ML_COMMENT","definition":{"$type":"RegexToken","regex":"/\\\\/\\\\*[\\\\s\\\\S]*?\\\\*\\\\//","parenthesized":false},"fragment":false},{"$type":"TerminalRule","hidden":true,"name":"SL_COMMENT","definition":{"$type":"RegexToken","regex":"/\\\\/\\\\/[^\\\\n\\\\r]*/","parenthesized":false},"fragment":false}],"imports":[],"interfaces":[],"types":[]}';

export const SA_TYPES: AstMetaData = {
  Assignment: {
    name: "Assignment",
    properties: { target: { name: "target" }, value: { name: "value" } },
    superTypes: ["Statement"],
  },
  Binary: {
    name: "Binary",
    properties: {
      left: { name: "left" },
      operator: { name: "operator" },
      right: { name: "right" },
    },
    superTypes: ["Expression"],
  },
  Block: {
    name: "Block",
    properties: { statements: { name: "statements", defaultValue: [] } },
    superTypes: [],
  },
  BooleanLiteral: {
    name: "BooleanLiteral",
    properties: { value: { name: "value" } },
    superTypes: ["Expression"],
  },
  Break: { name: "Break", properties: {}, superTypes: ["Statement"] },
  Call: {
    name: "Call",
    properties: { arguments: { name: "arguments", defaultValue: [] }, callee: { name: "callee" } },
    superTypes: ["Expression"],
  },
  CallStatement: {
    name: "CallStatement",
    properties: { call: { name: "call" } },
    superTypes: ["Statement"],
  },
  Conditional: {
    name: "Conditional",
    properties: {
      condition: { name: "condition" },
      whenFalse: { name: "whenFalse" },
      whenTrue: { name: "whenTrue" },
    },
    superTypes: ["Expression"],
  },
  Connection: {
    name: "Connection",
    properties: { from: { name: "from" }, to: { name: "to" } },
    superTypes: [],
  },
  ControlRules: {
    name: "ControlRules",
    properties: { statements: { name: "statements", defaultValue: [] } },
    superTypes: ["Section"],
  },
  ControlVariables: {
    name: "ControlVariables",
    properties: { declarations: { name: "declarations", defaultValue: [] } },
    superTypes: ["Section"],
  },
  Declaration: {
    name: "Declaration",
    properties: { name: { name: "name" }, type: { name: "type" }, value: { name: "value" } },
    superTypes: [],
  },
  For: {
    name: "For",
    properties: {
      body: { name: "body" },
      from: { name: "from" },
      to: { name: "to" },
      variable: { name: "variable" },
    },
    superTypes: ["Statement"],
  },
  If: {
    name: "If",
    properties: {
      body: { name: "body" },
      condition: { name: "condition" },
      otherwise: { name: "otherwise" },
      otherwiseIf: { name: "otherwiseIf" },
    },
    superTypes: ["Statement"],
  },
  InRules: {
    name: "InRules",
    properties: { rules: { name: "rules", defaultValue: [] } },
    superTypes: ["Section"],
  },
  InVariables: {
    name: "InVariables",
    properties: { declarations: { name: "declarations", defaultValue: [] } },
    superTypes: ["Section"],
  },
  InnerUnit: {
    name: "InnerUnit",
    properties: {
      connections: { name: "connections", defaultValue: [] },
      inputs: { name: "inputs" },
      name: { name: "name" },
      outputs: { name: "outputs" },
      source: { name: "source" },
      type: { name: "type" },
    },
    superTypes: [],
  },
  InputPorts: {
    name: "InputPorts",
    properties: { ports: { name: "ports", defaultValue: [] } },
    superTypes: ["Section"],
  },
  NumberLiteral: {
    name: "NumberLiteral",
    properties: { value: { name: "value" } },
    superTypes: ["Expression"],
  },
  OutRules: {
    name: "OutRules",
    properties: { rules: { name: "rules", defaultValue: [] } },
    superTypes: ["Section"],
  },
  OutVariables: {
    name: "OutVariables",
    properties: { declarations: { name: "declarations", defaultValue: [] } },
    superTypes: ["Section"],
  },
  OutputPorts: {
    name: "OutputPorts",
    properties: { ports: { name: "ports", defaultValue: [] } },
    superTypes: ["Section"],
  },
  Parameters: {
    name: "Parameters",
    properties: { declarations: { name: "declarations", defaultValue: [] } },
    superTypes: ["Section"],
  },
  Port: {
    name: "Port",
    properties: {
      name: { name: "name" },
      source: { name: "source" },
      target: { name: "target" },
      type: { name: "type" },
      unit: { name: "unit" },
    },
    superTypes: [],
  },
  PortName: {
    name: "PortName",
    properties: { port: { name: "port" }, unit: { name: "unit" } },
    superTypes: [],
  },
  Reference: {
    name: "Reference",
    properties: { name: { name: "name" }, unit: { name: "unit" } },
    superTypes: ["Expression"],
  },
  Return: { name: "Return", properties: { value: { name: "value" } }, superTypes: ["Statement"] },
  Rule: {
    name: "Rule",
    properties: {
      condition: { name: "condition" },
      first: { name: "first" },
      second: { name: "second" },
    },
    superTypes: [],
  },
  SemanticAdaptation: {
    name: "SemanticAdaptation",
    properties: {
      inner: { name: "inner", defaultValue: [] },
      inputKind: { name: "inputKind" },
      name: { name: "name" },
      outputKind: { name: "outputKind" },
      sections: { name: "sections", defaultValue: [] },
      target: { name: "target" },
      type: { name: "type" },
    },
    superTypes: [],
  },
  StringLiteral: {
    name: "StringLiteral",
    properties: { value: { name: "value" } },
    superTypes: ["Expression"],
  },
  Unary: {
    name: "Unary",
    properties: { operand: { name: "operand" }, operator: { name: "operator" } },
    superTypes: ["Expression"],
  },
  Variable: {
    name: "Variable",
    properties: { name: { name: "name" }, type: { name: "type" }, value: { name: "value" } },
    superTypes: ["Statement"],
  },
  While: {
    name: "While",
    properties: { body: { name: "body" }, condition: { name: "condition" } },
    superTypes: ["Statement"],
  },
};
