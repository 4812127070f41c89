// What a croft.config.ts may say about handlers, and what is refused.
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { writeProject } from "../../test/support/handler-scene.ts";
import { type ConfigSources, loadConfig } from "../config/load-config.ts";
import { inputJsonSchema } from "../jobs/input-json-schema.ts";
import { type InputSchema, readInput } from "../jobs/input-schema.ts";

async function load(config: string, sources: Partial<ConfigSources> = {}) {
  const text = `import { defineConfig, defineHandler, z } from "croft"; export default ${config};`;
  const directory = await writeProject(text);
  const nobody = { uid: process.getuid?.(), home: directory };
  return await loadConfig({ flags: {}, env: {}, directory, ...nobody, ...sources });
}

test("handlers stand beside the settings, and are no setting", async () => {
  const { project, config, given, file } = await load(
    `defineConfig({ http: { port: 5 }, handlers: {
      "a.b-c_1": defineHandler({ description: "A.", input: z.object({ n: z.int() }), run: () => 1 }),
    } })`,
  );
  expect(config.http.port).toBe(5);
  expect([...given.keys()]).toEqual(["http.port"]);
  expect([...(project?.handlers.keys() ?? [])]).toEqual(["a.b-c_1"]);
  expect(project).toMatchObject({ file, environment: {} });
  const input = project?.handlers.get("a.b-c_1")?.input;
  expect(await readInput(input ?? z.never(), { n: "x" })).toMatchObject({
    fault: expect.stringMatching(/^not valid: input\.n: /),
  });
  expect(input).toBeInstanceOf(z.ZodObject); // Croft's own zod, whatever the project has
});

test.each(["{}", "{ handlers: {} }", "{ handlers: undefined }"])("%s has none", async (config) => {
  expect((await load(config)).project).toBeUndefined();
});

test.each([
  ["{ handlers: { a: { input: z.object({}) } } }", "handlers.a must have a function 'run'"],
  ["{ handlers: { a: { run() {} } } }", "handlers.a must have a schema 'input'"],
  ["{ handlers: { a: { input: { type: 'object' }, run() {} } } }", "must have a schema 'input'"],
  ["{ handlers: { a: 1 } }", "handlers.a must be what defineHandler returns"],
  ["{ handlers: { 'A b': { input: z.object({}), run() {} } } }", "handlers.A b must have a name"],
  ["{ handlers: { a: { input: z.object({}), run() {}, retries: 3 } } }", "member 'retries'"],
  ["{ handlers: { a: { input: z.object({}), run() {}, description: 1 } } }", "a text as"],
  ["{ handlers: [] }", "handlers must be an object"],
  ["{ handlers: null }", "handlers must be an object"],
  ["{ triggers: {} }", "triggers must be a list"],
  ["{ handlerss: {} }", "did you mean 'handlers'"],
])("%s is refused", async (config, message) => {
  const loading = load(config);
  await expect(loading).rejects.toMatchObject({ code: "config-invalid" });
  await expect(loading).rejects.toThrow(message);
});

test("variables for handlers are those that are named, and never the server's own", async () => {
  const config = "{ handlers: { a: { input: z.object({}), run() {} } } }";
  const env = { A_KEY: "a", B_KEY: "b", DATABASE_URL: "postgres://x/y" };
  const named = { env, flags: { "handler.environment": "A_KEY,NONE" } };
  expect((await load(config, named)).project?.environment).toEqual({ A_KEY: "a" });
  for (const names of [
    "DATABASE_URL",
    "A_KEY,DATABASE_URL",
    "CROFT_DATA",
    "A_KEY,CROFT_X",
    "A B",
  ]) {
    const flags = { "handler.environment": names };
    await expect(load(config, { env, flags })).rejects.toThrow("handler.environment must be names");
  }
});

test("the code has all that the project needs, wherever it lies", async () => {
  const { project } = await load(
    "{ handlers: { a: { input: z.object({}), run: () => import.meta.dirname } } }",
  );
  expect(project?.code).toContain(JSON.stringify(join(project?.file ?? "", "..")));
  expect(project?.code).not.toContain('from "croft"');
});

test("an input's shape is told as it is sent; what no schema can say is left open", () => {
  const schema = z.object({ day: z.iso.date().transform((text) => new Date(text)), at: z.date() });
  expect(inputJsonSchema(schema)).toMatchObject({
    type: "object",
    properties: { day: { type: "string", format: "date" }, at: {} },
  });
  const foreign: InputSchema = { "~standard": { vendor: "x", validate: (value) => ({ value }) } };
  expect(inputJsonSchema(foreign)).toBeUndefined();
  const speaking = { vendor: "x", validate: foreign["~standard"].validate };
  const jsonSchema = { input: () => ({ type: "object" }) };
  expect(inputJsonSchema({ "~standard": { ...speaking, jsonSchema } } as InputSchema)).toEqual({
    type: "object",
  });
});
