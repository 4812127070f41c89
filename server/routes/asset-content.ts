// The contents of an asset over HTTP: to be kept as a file, or to be seen in a frame that can do nothing.
import { Readable } from "node:stream";
import { type Asset, AssetContentQuery } from "@croft/contract";
import {
  addressOfAsset,
  DIRECTORY_MEDIA_TYPE,
  type Engine,
  openAsset,
  readAsset,
} from "@croft/engine";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { App } from "../app.ts";
import { hasSame, requestedRange } from "../conditional-request.ts";
import { attachmentNamed, inlineNamed } from "../content-disposition.ts";
import { describeProblems } from "../describe-problems.ts";
import { scopeOf } from "../principal.ts";

const AssetPath = z.object({ id: z.uuid() });
const BYTES = {
  description: "the contents, as they were stored",
  content: { "application/octet-stream": { schema: z.string() } },
};
/** Were it opened as a page after all, it could do nothing. */
const CSP = "default-src 'none'; frame-ancestors 'none'; sandbox";
/** In a frame of ours it may look as it was made to look: no scripts, no forms, no origin, nothing from elsewhere. */
const INLINE_CSP =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'; sandbox";

export function assetContentRoute(app: App, engine: Engine): void {
  app.get(
    "/api/assets/:id/content",
    {
      config: { access: "reader" },
      schema: {
        tags: ["assets"],
        summary: "The contents of an asset",
        description: "With `Range` (one), `If-Range` and `If-None-Match`.",
        params: AssetPath,
        querystring: AssetContentQuery,
        response: {
          200: BYTES,
          206: BYTES,
          302: z.null().describe("the store has it at this address, for 5 minutes"),
          304: z.null().describe("as the caller has it"),
          ...describeProblems(
            "unauthenticated",
            "not-found",
            "invalid-input",
            "range-not-satisfiable",
            "asset-lost",
            "unavailable",
          ),
        },
      },
    },
    async ({ principal, params, query, headers, method }, reply) => {
      const asset = await readAsset(engine.database, scopeOf(principal), params.id);
      const shownAs = query.inline === "true" ? inlineType(asset.media_type) : undefined;
      const etag = `"${asset.sha256}"`;
      if (hasSame(headers["if-none-match"], etag)) {
        describeContent(reply, asset, shownAs);
        return await reply.code(304).send(null);
      }
      const contents = { size: asset.bytes, etag, what: "the asset" };
      const range = requestedRange({ method, headers }, contents, reply);
      const { from, to } = range ?? { from: 0, to: asset.bytes };
      const opened = await openAsset(engine.assets, asset);
      const isHead = method === "HEAD";
      const address = isHead || shownAs !== undefined ? undefined : await elsewhere(engine, asset);
      if (isHead || address !== undefined) await opened.close();
      if (address !== undefined) {
        reply.removeHeader("content-range");
        return await reply.code(302).header("location", address).send(null);
      }
      describeContent(reply, asset, shownAs); // not before: a problem has other headers
      reply.header("content-length", to - from);
      if (range !== undefined) {
        reply.code(206).header("content-range", `bytes ${from}-${to - 1}/${asset.bytes}`);
      }
      // Of a HEAD the framework would read the whole file to its end, for nobody.
      const body = isHead ? Readable.from([]) : opened.stream({ from, to });
      return await reply.send(body as unknown as string); // Fastify passes streams through as they are
    },
  );
}

async function elsewhere({ assets }: Engine, asset: Asset): Promise<string | undefined> {
  const disposition = attachmentNamed(fileName(asset));
  return await addressOfAsset(assets, asset, { mediaType: asset.media_type, disposition });
}

const PICTURE = /^image\/(?:png|apng|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/;
/** No PDF: browsers show none where it can do nothing. */
const DOCUMENTS = ["image/svg+xml", "text/html", "application/json"];

/** As what it may be shown; undefined for all that stays a file. Of texts a browser shows plain ones only. */
function inlineType(mediaType: string): string | undefined {
  const [type = "", charset = " charset=utf-8"] = mediaType.split(";");
  if (PICTURE.test(type) || DOCUMENTS.includes(type)) return mediaType;
  return type.startsWith("text/") ? `text/plain;${charset}` : undefined;
}

function describeContent(reply: FastifyReply, asset: Asset, shownAs: string | undefined): void {
  const name = fileName(asset);
  reply
    .type(shownAs ?? asset.media_type)
    .header("etag", `"${asset.sha256}"`)
    .header("accept-ranges", "bytes")
    .header("cache-control", "private, no-cache")
    .header("x-content-type-options", "nosniff")
    .header("content-security-policy", shownAs === undefined ? CSP : INLINE_CSP)
    .header(
      "content-disposition",
      shownAs === undefined ? attachmentNamed(name) : inlineNamed(name),
    );
  if (shownAs !== undefined) reply.header("x-frame-options", "SAMEORIGIN");
}

/** A directory comes as an archive. */
function fileName({ name, media_type }: Asset): string {
  return media_type === DIRECTORY_MEDIA_TYPE && !name.endsWith(".tar") ? `${name}.tar` : name;
}
