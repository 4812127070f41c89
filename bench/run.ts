// `npm run bench -- <name>`: one benchmark; its last line is one JSON object.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../scripts/source-files.ts";

/** The peers are a project of their own, so that nobody installs them who does not measure. */
const bench = join(projectRoot, "bench");
const benches: Record<string, () => Promise<object>> = {
  assets: async () => (await import("./assets.ts")).benchAssets(),
  deliveries: async () => (await import("./deliveries.ts")).benchDeliveries(),
  inbox: async () => (await import("./inbox.ts")).benchInbox(),
  locks: async () => (await import("./locks.ts")).benchLocks(),
  queue: async () => (await import("./queue.ts")).benchQueue(),
  sse: async () => (await import("./sse.ts")).benchSse(),
  start: async () => (await import("./start.ts")).benchStart(),
  watch: async () => (await import("./watch.ts")).benchWatch(),
  workspaces: async () => (await import("./workspaces.ts")).benchWorkspaces(),
};

const [name = ""] = process.argv.slice(2);
const run = benches[name];
if (run === undefined) {
  console.error(`usage: npm run bench -- <${Object.keys(benches).join("|")}> [--quick]`);
  process.exit(2);
}
execFileSync("npx", ["--no-install", "tsx", "scripts/build-product.ts"], { cwd: projectRoot });
if (!arePeersInstalled()) {
  execFileSync("npm", ["ci", "--silent"], { cwd: bench, stdio: "inherit" });
}
// Not a part of `npm test`, which does not install the peers.
execFileSync("npx", ["--no-install", "tsc", "-p", "bench"], { cwd: projectRoot, stdio: "inherit" });
console.log(JSON.stringify(await run()));
process.exit(0);

/** As they are asked for now: npm writes its own list when it has installed them. */
function arePeersInstalled(): boolean {
  const [installed, wanted] = ["node_modules/.package-lock.json", "package-lock.json"].map(
    (file) => statSync(join(bench, file), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return installed !== undefined && wanted !== undefined && installed >= wanted;
}
