// The part of a thing that a request asks for with its `Range` header.
import { EngineError } from "@croft/engine";

export interface ByteRange {
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

/** One range; several, or a unit that is not known, are as none. `what` is for the message. */
export function byteRangeOf(
  header: string | undefined,
  size: number,
  what: string,
): ByteRange | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (from < to) return { from, to };
  throw new EngineError("range-not-satisfiable", `${what} has ${size} bytes`);
}
