/**
 * What sessions do with packets of others: what does not parse is dropped and named, wherever it
 * comes from; a mistake of this program is thrown.
 */
import { Nonsense } from "../../remote/protocol.ts";
import { EndOfBytes } from "../../unit/bytes.ts";

export function takeForeign(act: () => void, onDropped: (why: string) => void): void {
  try {
    act();
  } catch (error) {
    const isForeign =
      error instanceof Nonsense || error instanceof EndOfBytes || error instanceof RangeError;
    if (!isForeign) throw error;
    onDropped(error.message);
  }
}
