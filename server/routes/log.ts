// The log of a job as text: all of it, a range, or what came since.
import { Readable } from "node:stream";
import { type Engine, EngineError, logExtent, readJob, readLogBytes } from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { byteRangeOf } from "../byte-range.ts";
import { describeProblems } from "../describe-problems.ts";
import { scopeOf } from "../principal.ts";
import { JobPath } from "./jobs.ts";

const TEXT = {
  description: "the log as UTF-8 text",
  content: { "text/plain": { schema: z.string() } },
};

export function logRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/jobs/:id/log",
    {
      config: { access: "reader" },
      schema: {
        tags: ["jobs"],
        summary: "The log of a job",
        params: JobPath,
        querystring: z.strictObject({
          since: z.coerce.number().int().min(0).optional().describe("leaves so many bytes out"),
        }),
        response: {
          200: TEXT,
          206: TEXT,
          ...describeProblems(
            "unauthenticated",
            "not-found",
            "invalid-input",
            "range-not-satisfiable",
          ),
        },
      },
    },
    async ({ method, principal, params, query, headers }, reply) => {
      await readJob(database, scopeOf(principal), params.id);
      const { from: first, to: size } = await logExtent(database, params.id);
      reply
        .type("text/plain; charset=utf-8")
        .header("accept-ranges", "bytes")
        .header("x-log-size", size);
      const isHead = method === "HEAD"; // of which there are no parts
      const range = isHead ? undefined : byteRangeOf(headers.range, size, "the log");
      if (range !== undefined && range.from < first) {
        throw new EngineError(
          "range-not-satisfiable",
          `the first ${first} bytes of the log are forgotten`,
        );
      }
      if (range !== undefined) {
        reply.code(206).header("content-range", `bytes ${range.from}-${range.to - 1}/${size}`);
      }
      const since = Math.min(Math.max(query.since ?? 0, first), size);
      const { from, to } = range ?? { from: since, to: size };
      reply.header("content-length", to - from);
      const wanted = isHead ? [] : readLogBytes(database, params.id, { from, to });
      const bytes = Readable.from(wanted);
      return await reply.send(bytes as unknown as string); // Fastify passes streams through as they are
    },
  );
}
