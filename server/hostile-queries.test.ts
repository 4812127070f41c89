// Whatever stands in a query or a path, no route fails: what the database cannot keep is refused before it is asked.
import { expect, test } from "vitest";
import { scratchEngine } from "../test/support/scratch-engine.ts";
import { scratchServer } from "../test/support/scratch-server.ts";

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: { readonly format?: string };
}

const MISSING = "01a1e246-c651-7000-ba6e-000000000000";
const HOSTILE = ["%00", "a%00b", "%ED%A0%80", "%"];

test("the character 0 and half of a surrogate pair, in every parameter of every route", async () => {
  const engine = await scratchEngine();
  const app = await scratchServer(engine);
  const headers = { authorization: `Bearer ${engine.localToken}` };
  const { paths } = (await app.inject("/api/openapi.json")).json();
  const asked: string[] = [];
  const failed: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, { parameters?: Parameter[] }>>(
    paths,
  )) {
    const { parameters = [] } = methods["get"] ?? {};
    if (path.endsWith("/stream") || path.endsWith("/events")) continue; // they do not end
    for (const { name, in: where } of parameters.filter(({ in: at }) => at !== "header")) {
      for (const text of HOSTILE) {
        const said = (part: Parameter) => (part.schema.format === "uuid" ? MISSING : "a");
        const url = parameters
          .filter((part) => part.in === "path")
          .reduce(
            (to, part) => to.replace(`{${part.name}}`, part.name === name ? text : said(part)),
            path,
          );
        const query = parameters
          .filter((part) => part.in === "query" && (part.required || part.name === name))
          .map((part) => `${part.name}=${part.name === name ? text : said(part)}`);
        asked.push(`${where} ${name}`);
        const { statusCode } = await app.inject({ url: `${url}?${query.join("&")}`, headers });
        if (statusCode >= 500) failed.push(`${url}?${query.join("&")}: ${statusCode}`);
      }
    }
  }
  expect(failed).toEqual([]);
  expect(asked.length).toBeGreaterThan(200);
});
