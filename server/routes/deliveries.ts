// Deliveries over HTTP: what was sent to whom, how it went, and once more.
import { DeliveryDetails, DeliveryList, DeliveryQuery } from "@croft/contract";
import { type Engine, listDeliveries, readDelivery, replayDelivery } from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { scopeOf } from "../principal.ts";

const DeliveryPath = z.object({ id: z.uuid() });

export function deliveryRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/deliveries",
    {
      config: { access: "reader" },
      schema: {
        tags: ["deliveries"],
        summary: "List deliveries, newest first",
        querystring: DeliveryQuery,
        response: { 200: DeliveryList, ...describeProblems("unauthenticated", "invalid-input") },
      },
    },
    async ({ principal, query }) => await listDeliveries(database, scopeOf(principal), query),
  );

  app.get(
    "/api/deliveries/:id",
    {
      config: { access: "reader" },
      schema: {
        tags: ["deliveries"],
        summary: "One delivery with its files and tries",
        params: DeliveryPath,
        response: {
          200: DeliveryDetails,
          ...describeProblems("unauthenticated", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }) =>
      await readDelivery(database.pool, scopeOf(principal), params.id),
  );

  app.post(
    "/api/deliveries/:id/replay",
    {
      config: { access: "writer" },
      schema: {
        tags: ["deliveries"],
        summary: "Send it once more, now",
        description:
          "What was given up or waits goes on under its own id; what was accepted is sent again under a new one.",
        params: DeliveryPath,
        response: {
          202: DeliveryDetails,
          ...describeProblems(
            ...([
              "unauthenticated",
              "forbidden",
              "not-found",
              "delivery-busy",
              "invalid-input",
            ] as const),
          ),
        },
      },
    },
    async ({ principal, params }, reply) => {
      const scope = scopeOf(principal);
      const id = await replayDelivery(database, scope, params.id);
      return await reply.code(202).send(await readDelivery(database.pool, scope, id));
    },
  );
}
