/**
 * What a caller asks a session to open: a unit by the name under which it is offered, and how it is
 * used. No paths, no code: a caller cannot name anything but offers.
 */
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { putNumber, Untrusted } from "../../remote/untrusted.ts";
import type { UnitUse } from "../../run/open-units.ts";

export interface UnitRequest {
  readonly offer: string;
  readonly use: Omit<UnitUse, "place">;
  readonly loggingOn: boolean;
  readonly logsCalls: boolean;
}

export function putRequest(
  offer: string,
  { place: _, structural, start, ...use }: UnitUse,
  { loggingOn, callLog }: NativeUnitOptions,
): string {
  return JSON.stringify({
    ...use,
    offer,
    start: putNumber(start),
    structural: [...structural].map(([name, value]) => ({ name, value: putNumber(value) })),
    loggingOn: loggingOn === true,
    logsCalls: callLog !== undefined,
  });
}

/** @throws Nonsense */
export function takeRequest(text: string): UnitRequest {
  const from = new Untrusted(parse(text), "the order");
  const structural = from.objects("structural");
  return {
    offer: from.text("offer", 200),
    use: {
      name: from.text("name", 1000),
      structural: new Map(structural.map((one) => [one.text("name", 1000), one.number("value")])),
      takesSlopes: from.flag("takesSlopes"),
      hasEvents: from.flag("hasEvents"),
      mayReturnEarly: from.flag("mayReturnEarly"),
      start: from.number("start"),
    },
    loggingOn: from.flag("loggingOn"),
    logsCalls: from.flag("logsCalls"),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Nonsense("an order that is not JSON");
  }
}
