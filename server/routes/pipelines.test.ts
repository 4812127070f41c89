// Stored pipelines over HTTP: whose is answered, what a name may be, and texts that cannot be kept.
import { createApp } from "@croft/engine";
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";

const textOf = (name: string) =>
  `name: ${name}\nrepository: https://example.com/r.git\nsteps: { one: { run: 'true' } }\n`;

async function scene() {
  const engine = await scratchEngine();
  const app = await scratchServer(engine);
  const tokens = {
    local: engine.localToken,
    one: (await createApp(engine.database, "one")).token,
    other: (await createApp(engine.database, "other")).token,
  };
  const ask = async (
    who: keyof typeof tokens,
    method: "GET" | "PUT" | "POST" | "DELETE",
    path: string,
    payload?: object,
  ) => {
    const { statusCode, body } = await app.inject({
      ...{ method, url: `/api/${path}` },
      headers: { authorization: `Bearer ${tokens[who]}` },
      ...(payload === undefined ? {} : { payload }),
    });
    return { status: statusCode, body: body === "" ? undefined : JSON.parse(body) };
  };
  return { ask };
}

test("one's own comes first, whoever else has one of that name; admins name another's owner", async () => {
  const { ask } = await scene();
  const owners: Record<string, string> = {};
  for (const who of ["local", "one", "other"] as const) {
    const { status, body } = await ask(who, "PUT", "pipelines/pp", { text: textOf(who) });
    expect(status).toBe(200);
    expect(body.text).toBe(textOf(who));
    owners[who] = body.owner;
  }
  for (const who of ["local", "one", "other"] as const) {
    expect((await ask(who, "GET", "pipelines/pp")).body.text).toBe(textOf(who));
    const named = await ask("local", "GET", `pipelines/pp?owner=${owners[who]}`);
    expect(named.body.text).toBe(textOf(who));
    const listed = await ask("local", "GET", `pipelines?owner=${owners[who]}`);
    expect(listed.body.pipelines).toMatchObject([{ owner: owners[who] }]);
  }
  const another = `pipelines/pp?owner=${owners["other"]}`;
  expect((await ask("one", "GET", another)).status).toBe(404);
  expect((await ask("one", "DELETE", another)).status).toBe(404);
  expect((await ask("one", "GET", `pipelines?owner=${owners["other"]}`)).body.pipelines).toEqual(
    [],
  );
  expect((await ask("local", "DELETE", another)).status).toBe(204);
  expect((await ask("other", "GET", "pipelines/pp")).status).toBe(404);
  for (const who of ["local", "one"] as const) {
    expect((await ask(who, "GET", "pipelines/pp")).body.text).toBe(textOf(who));
  }
});

test("a name is a plain word", async () => {
  const { ask } = await scene();
  const encoded = ["..%2fx", "a%20b", "%2e%2e%2fx", "a%00", "a%0a", "%F0%9F%92%A9"];
  for (const name of [...encoded, "-a", "1a", "a".repeat(65)]) {
    const put = await ask("one", "PUT", `pipelines/${name}`, { text: textOf("x") });
    expect([name, put.status, put.body.code]).toEqual([name, 422, "invalid-input"]);
  }
});

test("what cannot be kept is refused, wherever it stands", async () => {
  const { ask } = await scene();
  const text = textOf("p");
  const { body: run } = await ask("one", "POST", "runs", { text });
  for (const bad of ["a\0b", "a\ud800b"]) {
    const bodies = [
      { pipeline: bad },
      { text: `${text}# ${bad}` },
      { text, file: bad },
      { text, ref: bad },
      { text, repository: bad },
      { text, inputs: { [bad]: "x" } },
      { text, inputs: { x: bad } },
      { text, checkout: { path: `/${bad}` } },
      { text, checkout: { path: "/x", excludes_file: `/${bad}` } },
    ];
    const asked: [method: "POST" | "PUT", path: string, body: object][] = [
      ...bodies.map((body): ["POST", string, object] => ["POST", "runs", body]),
      ["POST", `runs/${run.id}/approve`, { step: bad }],
      ["POST", `runs/${run.id}/retry`, { from: bad }],
      ["PUT", "pipelines/p", { text: `${text}# ${bad}` }],
    ];
    for (const [method, path, body] of asked) {
      const { status } = await ask("one", method, path, body);
      expect(status, JSON.stringify({ path, body })).toBe(422);
    }
  }
  const hidden = `on: { change: { paths: ["\\ud800"], branches: ["\\ud800"] } }\n${text}`;
  expect((await ask("one", "PUT", "pipelines/p", { text: hidden })).status).toBe(422);
});
