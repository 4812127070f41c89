// Assets over HTTP: what there is, and its contents.
import { Readable } from "node:stream";
import { Asset, AssetList, AssetQuery } from "@croft/contract";
import { DIRECTORY_MEDIA_TYPE, type Engine, listAssets, openAsset, readAsset } from "@croft/engine";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { App } from "../app.ts";
import { hasSame, requestedRange } from "../conditional-request.ts";
import { attachmentNamed } from "../content-disposition.ts";
import { describeProblems } from "../describe-problems.ts";
import { scopeOf } from "../principal.ts";

const AssetPath = z.object({ id: z.uuid() });
const BYTES = {
  description: "the contents, as they were stored",
  content: { "application/octet-stream": { schema: z.string() } },
};
/** Were it opened as a page after all, it could do nothing. */
const CSP = "default-src 'none'; frame-ancestors 'none'; sandbox";

export function assetRoutes(app: App, engine: Engine): void {
  readRoutes(app, engine);
  contentRoute(app, engine);
}

function readRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/assets",
    {
      config: { access: "reader" },
      schema: {
        tags: ["assets"],
        summary: "List assets, newest first",
        querystring: AssetQuery,
        response: { 200: AssetList, ...describeProblems("unauthenticated", "invalid-input") },
      },
    },
    async ({ principal, query }) => await listAssets(database, scopeOf(principal), query),
  );

  app.get(
    "/api/assets/:id",
    {
      config: { access: "reader" },
      schema: {
        tags: ["assets"],
        summary: "One asset",
        params: AssetPath,
        response: {
          200: Asset,
          ...describeProblems("unauthenticated", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }) => await readAsset(database, scopeOf(principal), params.id),
  );
}

function contentRoute(app: App, engine: Engine): void {
  app.get(
    "/api/assets/:id/content",
    {
      config: { access: "reader" },
      schema: {
        tags: ["assets"],
        summary: "The contents of an asset",
        description: "With `Range`, `If-Range` and `If-None-Match`.",
        params: AssetPath,
        response: {
          200: BYTES,
          206: BYTES,
          304: z.null().describe("as the caller has it"),
          ...describeProblems(
            "unauthenticated",
            "not-found",
            "invalid-input",
            "range-not-satisfiable",
            "asset-lost",
          ),
        },
      },
    },
    async ({ principal, params, headers, method }, reply) => {
      const asset = await readAsset(engine.database, scopeOf(principal), params.id);
      const etag = `"${asset.sha256}"`;
      const contents = { size: asset.bytes, etag, what: "the asset" };
      const range = requestedRange(headers, contents, reply);
      if (hasSame(headers["if-none-match"], etag)) {
        describeContent(reply, asset);
        return await reply.code(304).send(null);
      }
      const { from, to } = range ?? { from: 0, to: asset.bytes };
      const opened = await openAsset(engine.assets, asset);
      if (method === "HEAD") await opened.close();
      describeContent(reply, asset); // not before: a problem has other headers
      reply.header("content-length", to - from);
      if (range !== undefined) {
        reply.code(206).header("content-range", `bytes ${from}-${to - 1}/${asset.bytes}`);
      }
      // Of a HEAD the framework would read the whole file to its end, for nobody.
      const body = method === "HEAD" ? Readable.from([]) : opened.stream({ from, to });
      return await reply.send(body as unknown as string); // Fastify passes streams through as they are
    },
  );
}

function describeContent(reply: FastifyReply, asset: Asset): void {
  reply
    .type(asset.media_type)
    .header("etag", `"${asset.sha256}"`)
    .header("accept-ranges", "bytes")
    .header("cache-control", "private, no-cache")
    .header("x-content-type-options", "nosniff")
    .header("content-security-policy", CSP)
    .header("content-disposition", attachmentNamed(fileName(asset)));
}

/** A directory comes as an archive. */
function fileName({ name, media_type }: Asset): string {
  return media_type === DIRECTORY_MEDIA_TYPE && !name.endsWith(".tar") ? `${name}.tar` : name;
}
