// `npm run bench -- <name>`: one benchmark; its last line is one JSON object.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../scripts/source-files.ts";

/** The peers are a project of their own, so that nobody installs them who does not measure. */
const bench = join(projectRoot, "bench");
const benches: Record<string, () => Promise<object>> = {
  locks: async () => (await import("./locks.ts")).benchLocks(),
  start: async () => (await import("./start.ts")).benchStart(),
  workspaces: async () => (await import("./workspaces.ts")).benchWorkspaces(),
};

const [name = ""] = process.argv.slice(2);
const run = benches[name];
if (run === undefined) {
  console.error(`usage: npm run bench -- <${Object.keys(benches).join("|")}>`);
  process.exit(2);
}
execFileSync("npx", ["--no-install", "tsx", "scripts/build-product.ts"], { cwd: projectRoot });
if (!existsSync(join(bench, "node_modules"))) {
  execFileSync("npm", ["ci", "--silent"], { cwd: bench, stdio: "inherit" });
}
// Not a part of `npm test`, which does not install the peers.
execFileSync("npx", ["--no-install", "tsc", "-p", "bench"], { cwd: projectRoot, stdio: "inherit" });
console.log(JSON.stringify(await run()));
process.exit(0);
