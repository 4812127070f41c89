// The composition root of the HTTP side: plugins, then routes, in that order.
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Engine, EngineError } from "@croft/engine";
import cookie from "@fastify/cookie";
import helmet from "@fastify/helmet";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import {
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import { answerBrokenRequest, answerOddRequests } from "./answer-broken-request.ts";
import type { App } from "./app.ts";
import { EventStreams } from "./event-streams.ts";
import { authenticate } from "./plugins/authenticate.ts";
import { describeApi } from "./plugins/describe-api.ts";
import { measureQueue } from "./plugins/measure-queue.ts";
import { measureRequests } from "./plugins/measure-requests.ts";
import { serveDashboard } from "./plugins/serve-dashboard.ts";
import { explain, sendProblem } from "./problem-error.ts";
import { appRoutes } from "./routes/apps.ts";
import { assetRoutes } from "./routes/assets.ts";
import { bulkRoutes } from "./routes/bulk.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { githubRoutes } from "./routes/github.ts";
import { githubCheckRoute } from "./routes/github-check.ts";
import { healthRoutes } from "./routes/health.ts";
import { jobActionRoutes } from "./routes/job-actions.ts";
import { jobTypeRoutes } from "./routes/job-types.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { logRoutes } from "./routes/log.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { overviewRoutes } from "./routes/overview.ts";
import { pipelineRoutes } from "./routes/pipelines.ts";
import { queueRoutes } from "./routes/queue.ts";
import { runRoutes } from "./routes/runs.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { secretRoutes } from "./routes/secrets.ts";
import { sessionRoutes } from "./routes/session.ts";
import { sessionsRoutes } from "./routes/sessions.ts";
import { setupRoutes } from "./routes/setup.ts";
import { streamRoutes } from "./routes/streams.ts";
import { watchFileRoutes } from "./routes/watch-files.ts";
import { watchRoutes } from "./routes/watches.ts";
import { githubWebhookRoute } from "./routes/webhooks-github.ts";

export interface ServerOptions {
  readonly engine: Engine;
  readonly log: FastifyBaseLogger;
  /** Directory of the built dashboard. */
  readonly dashboard: string;
  /** Where people reach this server; known only after it listens. */
  readonly ownUrl: () => string;
  readonly isDraining: () => boolean;
}

const REQUEST_LIMIT_MS = 60_000;
/** Whoever allows larger uploads waits longer for them: at this pace the usual ones just arrive in time. */
const SLOWEST_UPLOAD_BYTES_PER_MS = (10 * 1024 * 1024) / REQUEST_LIMIT_MS;

export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { engine, log, dashboard, ownUrl, isDraining } = options;
  const { http, assets } = engine.config;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({
      disableRequestLogging: true, // one line a request, below, instead of two
      requestIdLogLabel: "request_id",
    }),
    genReqId: requestId,
    // The proxy in front, not whoever wrote to it: only the last entry of X-Forwarded-For is its own.
    trustProxy: http.trustProxy ? (_address, hop) => hop === 0 : false,
    bodyLimit: http.bodyLimit,
    requestTimeout: requestLimitMs(assets.uploadMaxBytes),
    return503OnClosing: false, // requests that came in before the end are answered
    forceCloseConnections: false, // see trackConnections
    http: { requireHostHeader: false }, // answered below, as a problem
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      void sendProblem(request, reply, explain(error, http.bodyLimit));
    },
  });
  app.removeContentTypeParser("text/plain"); // what a form of a foreign page could send as JSON
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, request, reply) => {
    const problem = explain(error, http.bodyLimit);
    if (problem.code === "internal") request.log.error({ err: error }, "request failed");
    if (problem.code === "unavailable") request.log.warn({ err: error }, "request not served");
    return sendProblem(request, reply, problem);
  });
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    if (request.headers.host === undefined) {
      throw new EngineError("bad-request", "the request has no Host header");
    }
    reply.header("cache-control", "no-store"); // files of the dashboard say otherwise
    if (hasNoBody(request.headers)) delete request.headers["content-type"]; // many clients say one with every request
  });
  app.addHook("onResponse", async (request, reply) => {
    const { method, url, routeOptions } = request;
    const path = routeOptions.url ?? url.split("?", 1)[0];
    const durationMs = Math.round(reply.elapsedTime * 10) / 10;
    request.log.debug({ method, path, status: reply.statusCode, durationMs }, "request");
  });

  answerOddRequests(app.server);

  await app.register(cookie);
  await app.register(helmet, helmetRules());
  const meter = measureRequests(app, engine.version);
  authenticate(app, engine);
  await describeApi(app, engine);

  const typed = app.withTypeProvider<ZodTypeProvider>();
  healthRoutes(typed, engine, isDraining);
  metricsRoutes(typed, meter);
  setupRoutes(typed, engine, ownUrl);
  sessionRoutes(typed, engine);
  sessionsRoutes(typed, engine);
  overviewRoutes(typed, engine, meter);
  workRoutes(typed, engine);
  const streams = new EventStreams(engine);
  measureQueue(meter.registry, engine, streams);
  app.addHook("preClose", async () => streams.endAll());
  streamRoutes(typed, engine, streams);
  await serveDashboard(app, dashboard);
  return app;
}

function workRoutes(app: App, engine: Engine): void {
  jobRoutes(app, engine);
  jobTypeRoutes(app, engine);
  jobActionRoutes(app, engine);
  logRoutes(app, engine);
  queueRoutes(app, engine);
  scheduleRoutes(app, engine);
  bulkRoutes(app, engine);
  secretRoutes(app, engine);
  assetRoutes(app, engine);
  pipelineRoutes(app, engine);
  runRoutes(app, engine);
  appRoutes(app, engine);
  watchRoutes(app, engine);
  watchFileRoutes(app, engine);
  deliveryRoutes(app, engine);
  githubRoutes(app, engine);
  githubCheckRoute(app, engine);
  githubWebhookRoute(app, engine);
}

function requestLimitMs(uploadMaxBytes: number): number {
  return Math.max(REQUEST_LIMIT_MS, Math.ceil(uploadMaxBytes / SLOWEST_UPLOAD_BYTES_PER_MS));
}

/** A caller's own id is kept if it is harmless in a log, so that both sides can find one request. */
function requestId({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

function hasNoBody(headers: IncomingHttpHeaders): boolean {
  return (headers["content-length"] ?? "0") === "0" && headers["transfer-encoding"] === undefined;
}

function helmetRules() {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", "data:"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false, // whoever ends TLS in front of Croft decides that
    referrerPolicy: { policy: "no-referrer" as const },
    xFrameOptions: { action: "deny" as const },
  };
}
