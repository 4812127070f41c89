// The files of a watched repository over HTTP, at the commit that its app was told of.
import { Readable } from "node:stream";
import { WatchContentQuery, WatchFileList, WatchFileQuery } from "@croft/contract";
import { type Engine, type OpenFile, WatchFiles } from "@croft/engine";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { App } from "../app.ts";
import { hasSame, requestedRange } from "../conditional-request.ts";
import { attachmentNamed } from "../content-disposition.ts";
import { describeProblems } from "../describe-problems.ts";
import { scopeOf } from "../principal.ts";

const WatchPath = z.object({ id: z.uuid() });
const BYTES = {
  description:
    "the content, as it is in git; `x-file-mode` says of what: of a link (`120000`) it is where it leads",
  content: { "application/octet-stream": { schema: z.string() } },
};
const PROBLEMS = [
  "unauthenticated",
  "not-found",
  "invalid-input",
  "watch-held",
  "mirror-elsewhere",
  "unavailable",
] as const;

export function watchFileRoutes(app: App, engine: Engine): void {
  const files = new WatchFiles(engine);
  listRoute(app, files);
  contentRoute(app, files);
}

function listRoute(app: App, files: WatchFiles): void {
  app.get(
    "/api/repositories/:id/files",
    {
      config: { access: "reader" },
      schema: {
        tags: ["repositories"],
        summary: "The files that its app was told of",
        description:
          "As the filters of the watch and `.croftignore` choose them. Asked with the watch's own credential.",
        params: WatchPath,
        querystring: WatchFileQuery,
        response: { 200: WatchFileList, ...describeProblems(...PROBLEMS) },
      },
    },
    async ({ principal, params, query }, reply) => {
      const left = new AbortController();
      reply.raw.once("close", () => left.abort());
      return await files.list(scopeOf(principal), params.id, query, left.signal);
    },
  );
}

function contentRoute(app: App, files: WatchFiles): void {
  app.get(
    "/api/repositories/:id/content",
    {
      config: { access: "reader" },
      schema: {
        tags: ["repositories"],
        summary: "The content of one of the files",
        description: "With `Range`, `If-Range` and `If-None-Match`. Links are not followed.",
        params: WatchPath,
        querystring: WatchContentQuery,
        response: {
          200: BYTES,
          206: BYTES,
          304: z.null().describe("as the caller has it"),
          ...describeProblems(...PROBLEMS, "range-not-satisfiable"),
        },
      },
    },
    async ({ principal, params, query, headers, method }, reply) => {
      const file = await files.open(scopeOf(principal), params.id, query);
      const { size, blob } = file;
      const etag = `"${blob}"`;
      const range = requestedRange({ method, headers }, { size, etag, what: "the file" }, reply);
      describe(reply, file);
      if (hasSame(headers["if-none-match"], etag)) return await reply.code(304).send(null);
      const { from, to } = range ?? { from: 0, to: size };
      reply.header("content-length", to - from);
      if (range !== undefined) {
        reply.code(206).header("content-range", `bytes ${from}-${to - 1}/${size}`);
      }
      // Of a HEAD the framework would read the whole file to its end, for nobody.
      const body = Readable.from(method === "HEAD" ? [] : file.stream(from, to), {
        objectMode: false,
      });
      return await reply.send(body as unknown as string); // Fastify passes streams through as they are
    },
  );
}

function describe(reply: FastifyReply, { name, mode, blob, commit }: OpenFile): void {
  reply
    .type("application/octet-stream")
    .header("etag", `"${blob}"`)
    .header("accept-ranges", "bytes")
    .header("cache-control", "private, no-cache")
    .header("x-content-type-options", "nosniff")
    .header("content-security-policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
    .header("content-disposition", attachmentNamed(name.split("/").at(-1) ?? ""))
    .header("x-file-mode", mode)
    .header("x-commit", commit);
}
