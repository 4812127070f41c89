// Keeps folders equal to watched branches: one below `--folder` for each watch, by what Croft delivers.
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createReceiver, nodeListener, openStore } from "@croft/receiver";
import { Mirror } from "./mirror.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string", default: "mirror" },
    host: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "8090" },
  },
});
const secrets = (process.env["CROFT_SIGNING_SECRET"] ?? "").split(/\s+/).filter(Boolean);
if (secrets.length === 0) {
  process.stderr.write("CROFT_SIGNING_SECRET is not set: it is shown once, when the app is made\n");
  process.exit(2);
}

const folder = resolve(values.folder);
const mirror = new Mirror(folder);

/** In one line, whatever a remote wrote into it. */
function say(text: string): void {
  process.stdout.write(`${JSON.stringify(text).slice(1, -1)}\n`);
}

const receive = createReceiver({
  secrets,
  store: openStore(join(folder, ".croft")), // no watch has this name
  onFiles: (files) => mirror.apply(files),
  onSyncFailed: ({ watch, error }) => say(`${watch.url} fails: ${error.message}`),
  onSyncRecovered: ({ watch }) => say(`${watch.url} works again`),
  onJobFinished: ({ job }) => say(`job ${job.id}: ${job.status}`),
  onRunFinished: ({ run }) => say(`run ${run.id}: ${run.status}`),
  onPing: () => say("ping"),
});

const server = createServer(
  { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 30_000 },
  nodeListener(receive),
);
server.maxConnections = 200;
server.listen(Number(values.port), values.host, () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : values.port;
  say(`mirrors into ${folder}, listens on http://${values.host}:${port}`);
});
// What is in hand is finished; what is not comes again.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => server.close());
