// Every kind of failure becomes one problem that tells what the caller may know and no more.
import { problemCodes } from "@croft/contract";
import { EngineError } from "@croft/engine";
import fastify from "fastify";
import { validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { expect, test } from "vitest";
import { z } from "zod";
import { explain, problemOf, sendProblem } from "./problem-error.ts";

const LIMIT = 2048;

/** A server with one route that reads a body, and one that throws what it is told to. */
function appThatThrows(thrown?: unknown) {
  const app = fastify({ bodyLimit: LIMIT }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler((error, request, reply) =>
    sendProblem(request, reply, explain(error, LIMIT)),
  );
  const body = z.strictObject({ name: z.string(), tags: z.array(z.object({ id: z.int() })) });
  app.post("/things", { schema: { body } }, async () => "ok");
  app.get("/thrower", async () => {
    throw thrown;
  });
  return app;
}

const json = { "content-type": "application/json" };

test.each([
  ["no JSON", "{", json, "invalid-json"],
  ["an empty body", "", json, "invalid-json"],
  ["a body that wants to change the prototype", '{"__proto__":{"a":1}}', json, "invalid-json"],
  ["another type", "<a/>", { "content-type": "text/xml" }, "unsupported-media-type"],
  ["too many bytes", `"${"x".repeat(LIMIT)}"`, json, "too-large"],
  ["no object", "[]", json, "invalid-input"],
])("%s", async (_what, payload, headers, code) => {
  const app = appThatThrows();
  const response = await app.inject({ method: "POST", url: "/things", payload, headers });
  expect(response.json()).toMatchObject({ code });
  expect(response.headers["content-type"]).toBe("application/problem+json");
});

test("each invalid field is named by its path, also in a list", async () => {
  const payload = { tags: [{ id: 1 }, { id: "x" }], more: 1 };
  const response = await appThatThrows().inject({ method: "POST", url: "/things", payload });
  const { errors, detail, status } = response.json();
  expect(status).toBe(422);
  expect(errors.map(({ path }: { path: string }) => path)).toEqual(
    expect.arrayContaining(["name", "tags.1.id"]),
  );
  expect(detail).toMatch(/^not valid: /);
  expect(JSON.stringify(errors)).toContain("more");
});

test("so is each invalid field of what the engine checks itself", () => {
  const fields = [{ path: "input.paths.0", message: "is empty" }];
  const error = new EngineError("invalid-input", "not valid: input.paths.0: is empty", {
    details: { fields },
  });
  expect(explain(error, LIMIT)).toMatchObject({ code: "invalid-input", errors: fields });
});

const databaseGone = Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:5432"), {
  code: "ECONNREFUSED",
  syscall: "connect",
});

test.each([
  ["an error of the engine", new EngineError("not-found", "there is no such job"), "not-found"],
  ["an error that only a start can have", new EngineError("postgres-failed", "x"), "internal"],
  ["a database that is away", databaseGone, "unavailable"],
  ["a database without room", Object.assign(new Error("x"), { code: "53100" }), "disk-full"],
  ["a statement that is wrong", Object.assign(new Error("x"), { code: "42601" }), "internal"],
  ["a plain error", new Error("the pin of the safe is 0000"), "internal"],
  [
    "an error that says 404 itself",
    Object.assign(new Error("x"), { statusCode: 404 }),
    "bad-request",
  ],
  ["an error that says 503 itself", Object.assign(new Error("x"), { statusCode: 503 }), "internal"],
  [
    "an error named like something of every object",
    Object.assign(new Error("x"), { code: "constructor" }),
    "internal",
  ],
  ["a thrown text", "thrown", "internal"],
  ["a thrown null", null, "internal"],
  ["a thrown undefined", undefined, "internal"],
])("%s", (_what, error, code) => {
  expect(explain(error, LIMIT).code).toBe(code);
});

test.each([
  new Error("the pin of the safe is 0000"),
  databaseGone,
  new EngineError("postgres-failed", "/var/lib"),
])("what is inside %s stays inside", async (error) => {
  const { body } = await appThatThrows(error).inject("/thrower");
  expect(body).not.toMatch(/0000|10\.0\.0\.7|\/var\/lib|Error|\.ts:/);
});

test("a caller who must wait is told how long", async () => {
  const error = new EngineError("too-many-attempts", "slow down", {
    details: { retryAfterSeconds: 42 },
  });
  const response = await appThatThrows(error).inject("/thrower");
  expect(response.statusCode).toBe(429);
  expect(response.headers["retry-after"]).toBe("42");
  const away = await appThatThrows(databaseGone).inject("/thrower");
  expect(away.headers["retry-after"]).toBe("1");
});

test("401 says how to identify oneself", async () => {
  const response = await appThatThrows(new EngineError("unauthenticated", "sign in")).inject(
    "/thrower",
  );
  expect(response.headers["www-authenticate"]).toBe('Bearer realm="croft"');
});

test.each(Object.entries(problemCodes))(
  "'%s' has its status and title",
  (code, { status, title }) => {
    const parts = { code: code as keyof typeof problemCodes, detail: "because" };
    expect(problemOf(parts, "id-1")).toEqual({
      type: `urn:croft:problem:${code}`,
      title,
      status,
      code,
      detail: "because",
      request_id: "id-1",
    });
  },
);
