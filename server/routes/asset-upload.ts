// Uploads over HTTP: streamed to the store, under a limit, and there only when complete.
import type { IncomingMessage } from "node:http";
import { Asset, AssetUpload } from "@croft/contract";
import { type Engine, uploadAsset, uploadTooLarge } from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { ownerOf } from "../principal.ts";
import { receiveFile } from "../receive-file.ts";

/** What a form may have around its file. */
const FORM_BYTES_MAX = 64 * 1024;

/** In a scope of its own: here bodies are not parsed, whatever they say that they are. */
export function assetUploadRoute(app: App, engine: Engine): void {
  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null, undefined));
    uploadRoute(scope, engine);
  });
}

function uploadRoute(app: App, { assets }: Engine): void {
  app.post(
    "/api/assets",
    {
      config: { access: "writer" },
      schema: {
        tags: ["assets"],
        summary: "Upload a file",
        description:
          "The body is the file itself, with its name in the query; or a form (`multipart/form-data`) with one file.",
        consumes: ["application/octet-stream", "multipart/form-data"],
        body: z.unknown().describe("the file"),
        querystring: AssetUpload,
        response: {
          201: Asset,
          ...describeProblems(
            ...(["bad-request", "unauthenticated", "forbidden", "too-large"] as const),
            ...(["invalid-input", "unavailable", "disk-full"] as const),
          ),
        },
      },
    },
    async ({ raw, headers, query, principal }, reply) => {
      const maxBytes = assets.uploadMaxBytes;
      const announcedBytes = Number(headers["content-length"] ?? 0);
      if (announcedBytes > maxBytes + FORM_BYTES_MAX) throw uploadTooLarge(maxBytes);
      try {
        const file = await receiveFile(raw, headers, query);
        const { declaredType } = file;
        const details = () => {
          const { name, source_task_id: sourceTaskId, commit } = file.details();
          return { name, sourceTaskId, commit };
        };
        const upload = { owner: ownerOf(principal), declaredType, details };
        const asset = await uploadAsset(assets, file.bytes, upload);
        reply.code(201).header("location", `/api/assets/${asset.id}`);
        return asset;
      } finally {
        throwAway(raw);
      }
    },
  );
}

/** What was not read would keep the client from reading the answer. */
function throwAway(raw: IncomingMessage): void {
  raw.unpipe();
  raw.resume();
}
