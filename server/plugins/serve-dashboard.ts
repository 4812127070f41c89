// Serves the built dashboard: hashed files for a year, its page never from a stale cache.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { sendProblem } from "../problem-error.ts";

/** The name changes with the content. */
const FOR_A_YEAR = "public, max-age=31536000, immutable";

const API_PREFIXES = ["/api", "/admin/api", "/webhooks", "/metrics", "/healthz", "/readyz"];

export async function serveDashboard(app: FastifyInstance, root: string): Promise<void> {
  const pagePath = join(root, "index.html");
  const page = existsSync(pagePath) ? readFileSync(pagePath) : undefined;
  if (page !== undefined) {
    await app.register(async (files) => {
      files.addHook("onRoute", (route) => {
        route.config = { ...route.config, access: "public" };
        route.schema = { ...route.schema, hide: true };
      });
      await files.register(fastifyStatic, {
        root,
        wildcard: false,
        preCompressed: true,
        cacheControl: false,
        setHeaders: (reply, path) => {
          const isHashed = path.startsWith(join(root, "assets/"));
          reply.header("cache-control", isHashed ? FOR_A_YEAR : "no-cache");
        },
      });
    });
  }
  app.setNotFoundHandler(async (request, reply) => {
    if (page !== undefined && isPage(request)) {
      return await reply
        .header("cache-control", "no-cache")
        .type("text/html; charset=utf-8")
        .send(page);
    }
    const path = request.url.split("?", 1)[0]?.slice(0, 200);
    const detail = `there is no route ${request.method} ${path}`;
    return await sendProblem(request, reply, { code: "not-found", detail });
  });
}

/** Pages have addresses of their own, all served by the one file, which knows also how to say "not found". */
function isPage(request: FastifyRequest): boolean {
  const path = request.url.split("?", 1)[0];
  const isApi = API_PREFIXES.some((prefix) => `${path}/`.startsWith(`${prefix}/`));
  const wantsPage = request.headers.accept?.includes("text/html") === true;
  return request.method === "GET" && wantsPage && !isApi;
}
