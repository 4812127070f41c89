// The part of a thing that a request asks for with its `Range` header.
import { EngineError } from "@croft/engine";

export interface ByteRange {
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

/**
 * One range, by RFC 9110; several, one that ends before it begins, or a unit that is not known are as none. So is the end of
 * something empty: no header could say which part that is. `what` is for the message.
 */
export function byteRangeOf(
  header: string | undefined,
  size: number,
  what: string,
): ByteRange | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  if (first === "" && size === 0 && Number(last) > 0) return undefined;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (from < to) return { from, to };
  throw new EngineError("range-not-satisfiable", `${what} has ${size} bytes`);
}
