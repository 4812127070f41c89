// Live streams: the events of one job or run, of everything, and the log of a job.
import {
  cursorText,
  type Engine,
  eventOf,
  type FeedEvent,
  type FeedFollowing,
  followLog,
  logExtent,
  readListedJob,
  readSubject,
  type Scope,
  showRun,
} from "@croft/engine";
import { z } from "zod";
import { answerHead } from "../answer-head.ts";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import type { EventStreams } from "../event-streams.ts";
import { foreignId, LastEventId, numberIn, placeIn } from "../last-event-id.ts";
import { scopeOf } from "../principal.ts";
import { tellSubject } from "../tell-subject.ts";
import { JobPath } from "./jobs.ts";

const STREAM = {
  description: "a stream of server-sent events",
  content: { "text/event-stream": { schema: z.string() } },
};
const OVER = z.null().describe("it has ended, and nothing came after `Last-Event-ID`");

export function streamRoutes(app: App, engine: Engine, streams: EventStreams): void {
  subjectEventsRoute(app, engine, streams, { kind: "job", show: readListedJob });
  subjectEventsRoute(app, engine, streams, { kind: "run", show: showRun });
  allEventsRoute(app, engine, streams);
  jobLogRoute(app, engine, streams);
}

interface Subject {
  readonly kind: "job" | "run";
  readonly show: (database: Engine["database"], scope: Scope, id: string) => Promise<unknown>;
}

function subjectEventsRoute(
  app: App,
  engine: Engine,
  streams: EventStreams,
  { kind, show }: Subject,
): void {
  const final = ["done", "failed", "cancelled"].map((status) => `${kind}.${status}`);
  app.get(
    `/api/${kind}s/:id/events`,
    {
      config: { access: "reader" },
      schema: {
        tags: ["events"],
        summary: `Follow a ${kind} until it has ended`,
        params: JobPath,
        headers: LastEventId,
        response: {
          200: STREAM,
          204: OVER,
          ...describeProblems("unauthenticated", "not-found", "too-many-streams", "invalid-input"),
        },
      },
    },
    async (request, reply) => {
      const { principal, params, headers } = request;
      const { database } = engine;
      const scope = scopeOf(principal);
      const after = numberIn(headers["last-event-id"]) ?? 0;
      const state = await readSubject(database, scope, { kind, id: params.id });
      if (state.hasEnded && after === state.seq) return await reply.code(204).send(null);
      if (request.method === "HEAD") return await answerHead(reply);
      const stream = streams.open(request, reply);
      const told = { id: params.id, after, state, final };
      tellSubject(engine, stream, {
        ...told,
        show: () => show(database, scope, params.id),
      }).catch((error: unknown) => {
        request.log.warn({ err: error }, "events could not be followed");
        stream.end(); // the client comes back, when the database has
      });
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
        description:
          "Begins with `start`, whose `id` is where to come back to if nothing else came; with `reset` if events in between cannot be had",
        headers: LastEventId,
        response: {
          200: STREAM,
          ...describeProblems("unauthenticated", "too-many-streams", "invalid-input"),
        },
      },
    },
    async (request, reply) => {
      const { owner } = scopeOf(request.principal);
      const after = placeIn(request.headers["last-event-id"]);
      if (request.method === "HEAD") return await answerHead(reply);
      const start = await feed.begin(after).catch((error: unknown) => {
        request.log.warn({ err: error }, "events could not be followed");
      });
      if (start === undefined) {
        streams.open(request, reply).end(); // an answer with an error would be the last that browsers ask for
        return reply;
      }
      let following: FeedFollowing | undefined;
      const at = cursorText(start.cursor);
      const stream = streams.open(request, reply, {
        first: { id: at, event: start.isReset ? "reset" : "start", data: {} },
        place: () => {
          const cursor = following?.cursor();
          return cursor && cursorText(cursor);
        },
      });
      const sent = (event: FeedEvent) => ({
        ...{ id: cursorText(event.cursor), event: event.type, data: eventOf(event) },
      });
      following = feed.follow(
        {
          owner,
          onEvents: (events) => events.every((event) => stream.send(sent(event))),
          onPast: async (events) => {
            for (const event of events) if (!(await stream.sendInStep(sent(event)))) return false;
            return true;
          },
          onReset: (to) => void stream.send({ id: cursorText(to), event: "reset", data: {} }),
          onDelayed: () => void stream.send({ event: "delayed", data: {} }),
        },
        start.cursor,
      );
      stream.atEnd(() => following?.leave());
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
          204: OVER,
          ...describeProblems("unauthenticated", "not-found", "too-many-streams", "invalid-input"),
        },
      },
    },
    async (request, reply) => {
      const { params, headers, principal, log } = request;
      const scope = scopeOf(principal);
      const hasEnded = async () =>
        (await readSubject(database, scope, { kind: "job", id: params.id })).hasEnded;
      const isOver = await hasEnded();
      const known = numberIn(headers["last-event-id"]);
      const { to } = known === undefined ? { to: 0 } : await logExtent(database, params.id);
      if (isOver && known !== undefined && known >= to) return await reply.code(204).send(null);
      if (known !== undefined && known > to) throw foreignId();
      if (request.method === "HEAD") return await answerHead(reply);
      const stream = streams.open(request, reply);
      let last = known ?? 0;
      followLog(
        database,
        listener,
        { jobId: params.id, from: last, signal: stream.signal },
        async ({ endsAt, attempt, stream: from, at, text }) => {
          last = endsAt;
          const data = { attempt, stream: from, at, text };
          await stream.sendInStep({ id: String(endsAt), event: "log", data });
        },
        hasEnded,
      )
        .then(() => stream.send({ id: String(last), event: "end", data: {} }))
        .catch((error: unknown) => log.warn({ err: error }, "a log could not be followed"))
        .finally(() => stream.end());
      return reply;
    },
  );
}
