// Assets over HTTP: what there is, and its end. Contents and uploads have files of their own.
import { Asset, AssetList, AssetQuery } from "@croft/contract";
import { deleteAsset, type Engine, listAssets, readAsset } from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { scopeOf } from "../principal.ts";
import { assetContentRoute } from "./asset-content.ts";
import { assetUploadRoute } from "./asset-upload.ts";

const AssetPath = z.object({ id: z.uuid() });

export function assetRoutes(app: App, engine: Engine): void {
  readRoutes(app, engine);
  deleteRoute(app, engine);
  assetContentRoute(app, engine);
  assetUploadRoute(app, engine);
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

function deleteRoute(app: App, { database }: Engine): void {
  app.delete(
    "/api/assets/:id",
    {
      config: { access: "writer" },
      schema: {
        tags: ["assets"],
        summary: "Remove an asset",
        params: AssetPath,
        response: {
          204: z.null().describe("removed"),
          ...describeProblems("unauthenticated", "forbidden", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }, reply) => {
      await deleteAsset(database, scopeOf(principal), params.id);
      return await reply.code(204).send(null);
    },
  );
}
