// `npm run test:faults -- <name> [seed]`: a fault test in its full form, its outcome written to test/faults/<name>.json.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killDuringAssets } from "../test/faults/asset-kills.ts";
import type { FaultTest } from "../test/faults/fault.ts";
import { killEverywhere } from "../test/faults/git-kills.ts";
import { stormRepository } from "../test/faults/git-storm.ts";
import { throttleFetch } from "../test/faults/git-throttle.ts";
import { killDuringEvents } from "../test/faults/github-kills.ts";
import { mutateEvents } from "../test/faults/github-mutations.ts";
import { askHostilely } from "../test/faults/hostile-bodies.ts";
import { killPostgres } from "../test/faults/postgres-kills.ts";
import { killWorkersAndServer } from "../test/faults/queue-kills.ts";
import { exceedLimits } from "../test/faults/queue-limits.ts";
import { playQueue } from "../test/faults/queue-model.ts";
import { interleaveRuns } from "../test/faults/run-interleavings.ts";
import { killDuringRuns } from "../test/faults/run-kills.ts";
import { printMuch } from "../test/faults/run-output.ts";
import { stormWithRuns } from "../test/faults/run-storm.ts";
import { reconnectStreams } from "../test/faults/sse-reconnects.ts";
import { killDuringStartAndWork } from "../test/faults/start.ts";
import { killDuringWatch } from "../test/faults/watch-kills.ts";
import { stopWorkers } from "../test/faults/worker-stops.ts";
import { projectRoot } from "./source-files.ts";

const faultTests: Record<string, { run: FaultTest; count: number }> = {
  "asset-kills": { run: killDuringAssets, count: 100 },
  "git-kills": { run: killEverywhere, count: 1000 }, // points of each operation: more than any has
  "git-storm": {
    run: (options) => stormRepository({ ...options, processes: 4, runs: 25 }),
    count: 2000,
  },
  "git-throttle": { run: throttleFetch, count: 60 },
  "github-kills": { run: killDuringEvents, count: 100 },
  "github-mutations": { run: mutateEvents, count: 10_000 },
  "hostile-bodies": { run: askHostilely, count: 10_000 },
  "postgres-kills": { run: killPostgres, count: 20 },
  "queue-kills": { run: killWorkersAndServer, count: 200 },
  "queue-model": { run: playQueue, count: 50_000 }, // claims
  "queue-limits": { run: exceedLimits, count: 5000 },
  "run-interleavings": { run: interleaveRuns, count: 10_000 }, // of each; and a tenth as many runs on a database
  "run-kills": { run: killDuringRuns, count: 200 },
  "run-output": { run: printMuch, count: 1024 }, // MiB
  "run-storm": { run: (options) => stormWithRuns({ ...options, workers: 3 }), count: 50 }, // after ten
  "sse-reconnects": { run: reconnectStreams, count: 500 }, // of each of two clients
  start: { run: killDuringStartAndWork, count: 99 },
  "watch-kills": { run: killDuringWatch, count: 100 }, // 50 changes each, and a twentieth as many of PostgreSQL
  "worker-stops": { run: stopWorkers, count: 40 },
};

const [name = "", seedText] = process.argv.slice(2);
const fault = faultTests[name];
if (fault === undefined) {
  console.error(`usage: npm run test:faults -- <${Object.keys(faultTests).join("|")}> [seed]`);
  process.exit(2);
}
execFileSync("npx", ["--no-install", "tsx", "scripts/build-product.ts"], { cwd: projectRoot });
const seed = seedText === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(seedText);
const directory = mkdtempSync(join(tmpdir(), "croft-faults-"));
chmodSync(directory, 0o755);
console.log(`${name}: ${fault.count} faults, seed ${seed}`);
const { injected, figures, failures } = await fault.run({ seed, count: fault.count, directory });
rmSync(directory, { recursive: true, force: true });

const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: projectRoot, encoding: "utf8" });
const report = { name, seed, count: injected, commit: commit.trim(), ...figures, failures };
const path = join(projectRoot, `test/faults/${name}.json`);
writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`);
console.log(JSON.stringify(report));
process.exit(failures.length === 0 ? 0 : 1);
