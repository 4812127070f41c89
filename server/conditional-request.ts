// What a request says about the contents it has already: all of them, or a part.
import type { FastifyReply } from "fastify";
import { type ByteRange, byteRangeOf } from "./byte-range.ts";

interface Contents {
  readonly size: number;
  readonly etag: string;
  /** For the message. */
  readonly what: string;
}

interface RangeRequest {
  readonly method: string;
  readonly headers: {
    readonly range?: string | undefined;
    readonly "if-range"?: string | string[] | undefined;
  };
}

/** Of something else than the caller has a part of, all is sent. HEAD has no parts: it tells of the whole. */
export function requestedRange(
  { method, headers }: RangeRequest,
  { size, etag, what }: Contents,
  reply: FastifyReply,
): ByteRange | undefined {
  if (method === "HEAD") return undefined;
  const condition = headers["if-range"];
  if (condition !== undefined && condition !== etag) return undefined;
  try {
    return byteRangeOf(headers.range, size, what);
  } catch (error) {
    reply.header("content-range", `bytes */${size}`);
    throw error;
  }
}

/** By `If-None-Match`. */
export function hasSame(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}
