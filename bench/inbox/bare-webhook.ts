// The least that a durable webhook does: a bare fastify route that inserts the body, and nothing else. A process of its own.
import fastify from "fastify";
import pg from "pg";

const [connectionString = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 10 });
await pool.query(
  "create table if not exists public.bare_inbox (delivery_id text primary key, body bytea not null)",
);
const app = fastify({ bodyLimit: 25 * 1024 * 1024 });
app.removeAllContentTypeParsers();
app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
app.post("/webhooks/github", async ({ headers, body }, reply) => {
  await pool.query("insert into public.bare_inbox values ($1, $2) on conflict do nothing", [
    headers["x-github-delivery"],
    body,
  ]);
  return await reply.code(202).send({});
});
console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
process.stdin.resume().once("end", () => process.exit(0)); // whoever started it is done
