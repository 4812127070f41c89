// Live streams: the events of one job, of everything, and the log of a job.
import {
  cursorOf,
  type Engine,
  EngineError,
  type EventRow,
  eventOf,
  type FeedCursor,
  followLog,
  hasEvent,
  readJob,
  readLastSeq,
  type Scope,
  showRun,
} from "@croft/engine";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import type { EventStreams } from "../event-streams.ts";
import { scopeOf } from "../principal.ts";
import { JobPath } from "./jobs.ts";

const STREAM = {
  description: "a stream of server-sent events",
  content: { "text/event-stream": { schema: z.string() } },
};

const LastEventId = z.object({
  "last-event-id": z.string().max(64).optional().describe("goes on after this one"),
});

export function streamRoutes(app: App, engine: Engine, streams: EventStreams): void {
  subjectEventsRoute(app, engine, streams, { word: "job", read: readJob });
  subjectEventsRoute(app, engine, streams, { word: "run", read: showRun });
  allEventsRoute(app, engine, streams);
  jobLogRoute(app, engine, streams);
}

interface Subject {
  readonly word: "job" | "run";
  readonly read: (
    database: Engine["database"],
    scope: Scope,
    id: string,
  ) => Promise<{ readonly finished_at: string | null }>;
}

function subjectEventsRoute(
  app: App,
  { database, subjects }: Engine,
  streams: EventStreams,
  { word, read }: Subject,
): void {
  const final = ["done", "failed", "cancelled"].map((status) => `${word}.${status}`);
  app.get(
    `/api/${word}s/:id/events`,
    {
      config: { access: "reader" },
      schema: {
        tags: ["events"],
        summary: `Follow a ${word} until it has ended`,
        params: JobPath,
        headers: LastEventId,
        response: {
          200: STREAM,
          ...describeProblems("unauthenticated", "not-found", "too-many-streams", "invalid-input"),
        },
      },
    },
    async (request, reply) => {
      const { principal, params, headers } = request;
      const thing = await read(database, scopeOf(principal), params.id);
      const after = numberIn(headers["last-event-id"]);
      const newest = await readLastSeq(database, params.id);
      if (after > newest) throw foreignId();
      if (request.method === "HEAD") return await answerHead(reply);
      const isOver =
        thing.finished_at !== null &&
        !(await hasEvent(database, params.id, { afterSeq: after, types: final }));
      const stream = streams.open(request, reply);
      if (isOver) {
        // Either it knows everything there will ever be, or what it does not know is forgotten.
        if (after < newest) stream.send({ id: String(newest), event: "reset", data: thing });
        stream.end();
        return reply;
      }
      let last = after;
      const onEvents = (rows: readonly EventRow[]) => {
        if (last > 0 && (rows[0]?.seq ?? 0) > last + 1)
          stream.send({ event: "reset", data: thing });
        for (const row of rows) {
          last = row.seq;
          if (!stream.send({ id: String(row.seq), event: row.type, data: eventOf(row) }))
            return false;
          if (!final.includes(row.type)) continue;
          stream.end();
          return false;
        }
        return true;
      };
      const leave = subjects.follow(params.id, after, { onEvents });
      stream.signal.addEventListener("abort", leave, { once: true });
      return reply;
    },
  );
}

function allEventsRoute(app: App, { feed }: Engine, streams: EventStreams): void {
  app.get(
    "/api/events",
    {
      config: { access: "reader" },
      schema: {
        tags: ["events"],
        summary: "Follow everything you may see",
        headers: LastEventId,
        response: {
          200: STREAM,
          ...describeProblems("unauthenticated", "too-many-streams", "invalid-input"),
        },
      },
    },
    async (request, reply) => {
      const { owner } = scopeOf(request.principal);
      const after = cursorIn(request.headers["last-event-id"]);
      if (request.method === "HEAD") return await answerHead(reply);
      const stream = streams.open(request, reply);
      const following = feed.follow(
        {
          owner,
          onEvents: (rows) =>
            rows.every((row) => {
              const { xid, place } = cursorOf(row);
              return stream.send({ id: `${xid}-${place}`, event: row.type, data: eventOf(row) });
            }),
          onReset: () => void stream.send({ event: "reset", data: {} }),
          onDelayed: () => void stream.send({ event: "delayed", data: {} }),
        },
        after,
      );
      following.then(
        (leave) => {
          if (stream.signal.aborted) leave();
          else stream.signal.addEventListener("abort", leave, { once: true });
        },
        (error: unknown) => {
          request.log.warn({ err: error }, "events could not be followed");
          stream.end(); // the client comes back, when the database has
        },
      );
      return reply;
    },
  );
}

function jobLogRoute(app: App, { database, listener }: Engine, streams: EventStreams): void {
  app.get(
    "/api/jobs/:id/log/events",
    {
      config: { access: "reader" },
      schema: {
        tags: ["events"],
        summary: "Follow the log of a job until it has ended",
        description: "`id` is the number of bytes that have been sent",
        params: JobPath,
        headers: LastEventId,
        response: {
          200: STREAM,
          ...describeProblems("unauthenticated", "not-found", "too-many-streams", "invalid-input"),
        },
      },
    },
    async (request, reply) => {
      const { params, headers, principal, log } = request;
      const scope = scopeOf(principal);
      await readJob(database, scope, params.id);
      const from = numberIn(headers["last-event-id"]);
      if (request.method === "HEAD") return await answerHead(reply);
      const stream = streams.open(request, reply);
      const follow = { jobId: params.id, from, signal: stream.signal };
      const isOver = async () => (await readJob(database, scope, params.id)).finished_at !== null;
      followLog(
        database,
        listener,
        follow,
        async ({ endsAt, attempt, stream: from, at, text }) => {
          await stream.sendInStep({
            id: String(endsAt),
            event: "log",
            data: { attempt, stream: from, at, text },
          });
        },
        isOver,
      )
        .then(() => stream.send({ event: "end", data: {} }))
        .catch((error: unknown) => log.warn({ err: error }, "a log could not be followed"))
        .finally(() => stream.end());
      return reply;
    },
  );
}

/** Only what a stream would begin with: nothing is followed, and no place is taken. */
async function answerHead(reply: FastifyReply): Promise<FastifyReply> {
  reply.type("text/event-stream; charset=utf-8").header("cache-control", "no-store");
  return await reply.send();
}

function numberIn(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw foreignId();
}

function cursorIn(text: string | undefined): FeedCursor | undefined {
  if (text === undefined || text === "") return undefined;
  const [, xid, place] = /^(\d{1,19})-(\d{1,18})$/.exec(text) ?? [];
  if (xid !== undefined && place !== undefined) return { xid: BigInt(xid), place: BigInt(place) };
  throw foreignId();
}

function foreignId(): EngineError {
  return new EngineError("invalid-input", "not valid: Last-Event-ID is not one of this stream's");
}
