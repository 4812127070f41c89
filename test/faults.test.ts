// The fault tests in their short form: few faults, fixed seed. `npm run test:faults -- <name>` runs the full one.
import { expect, test } from "vitest";
import { killDuringAssets } from "./faults/asset-kills.ts";
import { canKillEverywhere, killEverywhere, OPERATIONS } from "./faults/git-kills.ts";
import { stormRepository } from "./faults/git-storm.ts";
import { throttleFetch } from "./faults/git-throttle.ts";
import { killDuringEvents } from "./faults/github-kills.ts";
import { mutateEvents } from "./faults/github-mutations.ts";
import { askHostilely } from "./faults/hostile-bodies.ts";
import { killPostgres } from "./faults/postgres-kills.ts";
import { killWorkersAndServer } from "./faults/queue-kills.ts";
import { exceedLimits } from "./faults/queue-limits.ts";
import { playQueue } from "./faults/queue-model.ts";
import { killDuringRuns } from "./faults/run-kills.ts";
import { stormWithRuns } from "./faults/run-storm.ts";
import { reconnectStreams } from "./faults/sse-reconnects.ts";
import { killDuringStartAndWork } from "./faults/start.ts";
import { killDuringWatch } from "./faults/watch-kills.ts";
import { stopWorkers } from "./faults/worker-stops.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";

test("a server killed during start and work starts again with every acknowledged row", async () => {
  const directory = await scratchDirectory();
  const result = await killDuringStartAndWork({ seed: 20_261_115, count: 6, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBe(6);
  expect(result.figures).toMatchObject({ first_starts: 2, starts: 2, works: 2 });
  expect(result.figures["acknowledged"]).toBeGreaterThan(2);
});

test("24 runs at once, of every kind and from four processes, meet no git error and leave nothing", async () => {
  const directory = await scratchDirectory();
  const options = { seed: 1, count: 24, directory, processes: 4, runs: 6 };
  const result = await stormRepository(options);
  expect(result.failures).toEqual([]);
  expect(result.injected).toBe(24);
  expect(result.figures["baseline_commands"]).toBeGreaterThan(100);
});

test("during a slow fetch 20 callers in two processes go on making workspaces, and wait for no lock", async () => {
  const directory = await scratchDirectory();
  const result = await throttleFetch({ seed: 1, count: 6, directory });
  expect(result.failures).toEqual([]);
  expect(result.figures["workspaces"]).toBeGreaterThan(10);
  expect(result.figures["fetches"]).toBeLessThanOrEqual(2);
});

test("four processes exceed no limit, take fair turns and lose no job", async () => {
  const directory = await scratchDirectory();
  const result = await exceedLimits({ seed: 20_261_116, count: 1000, directory });
  expect(result.failures).toEqual([]);
  expect(result.figures["processes"]).toBeGreaterThan(1);
  expect(result.figures["turns"]).toBeGreaterThan(100);
});

test("whatever is done to the queue at once, its counts fit its jobs, none runs twice, and all end", async () => {
  const directory = await scratchDirectory();
  const result = await playQueue({ seed: 20_261_118, count: 2000, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBeGreaterThanOrEqual(2000);
});

test("workers and server are killed at work: every acknowledged job ends once, and nothing is left", async () => {
  const directory = await scratchDirectory();
  const result = await killWorkersAndServer({ seed: 20_261_116, count: 7, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBeGreaterThan(6);
  expect(result.figures["acknowledged"]).toBeGreaterThan(10);
}, 180_000);

test("PostgreSQL is killed under jobs at work: it comes back by itself, and nothing is lost", async () => {
  const directory = await scratchDirectory();
  const result = await killPostgres({ seed: 20_261_116, count: 3, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBe(3);
  expect(result.figures["acknowledged"]).toBeGreaterThan(10);
}, 180_000);

test("workers and server are killed in the phases of runs: each ends as if nothing had been, and no step runs twice", async () => {
  const directory = await scratchDirectory();
  const result = await killDuringRuns({ seed: 20_261_116, count: 4, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBeGreaterThanOrEqual(4);
  expect(result.figures["runs"]).toBeGreaterThan(3);
}, 180_000);

test("ten runs at once, then more with many items, from several workers: no git error, and nobody sees another's files", async () => {
  const directory = await scratchDirectory();
  const result = await stormWithRuns({ seed: 1, count: 2, workers: 2, directory });
  expect(result.failures).toEqual([]);
  expect(result.figures["first_runs_at_once"]).toBeGreaterThanOrEqual(10);
}, 180_000);

test("Croft and PostgreSQL are killed while a branch moves and its app fails: the app ends with the very tree", async () => {
  const directory = await scratchDirectory();
  const result = await killDuringWatch({ seed: 20_261_116, count: 5, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBeGreaterThan(5);
  expect(result.figures["changes"]).toBeGreaterThanOrEqual(250);
  expect(result.figures["postgres_kills"]).toBe(1);
}, 180_000);

test("server and worker are killed while files are stored: what is seen is whole, and nothing else is left", async () => {
  const directory = await scratchDirectory();
  const result = await killDuringAssets({ seed: 20_261_116, count: 5, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBe(5);
  expect(result.figures["uploads"]).toBeGreaterThan(10);
  expect(result.figures["jobs"]).toBeGreaterThan(5);
}, 180_000);

test("the server is killed while events of GitHub arrive: each that was acknowledged is handled once", async () => {
  const directory = await scratchDirectory();
  const result = await killDuringEvents({ seed: 20_261_116, count: 4, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBe(4);
  expect(result.figures["events"]).toBeGreaterThan(20);
}, 180_000);

test("a thousand requests that GitHub would never make are refused, and the server lives", async () => {
  const directory = await scratchDirectory();
  const result = await mutateEvents({ seed: 20_261_116, count: 1000, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBe(1000);
  expect(result.figures["s401"]).toBeGreaterThan(100);
  expect(result.figures["s400"]).toBeGreaterThan(100);
  expect(result.figures["s415"]).toBeGreaterThan(20);
});

test("clients that lose their connection all the time see each event once, in order", async () => {
  const directory = await scratchDirectory();
  const result = await reconnectStreams({ seed: 20_261_116, count: 30, directory });
  expect(result.failures).toEqual([]);
  expect(result.figures["events"]).toBeGreaterThan(600);
  expect(result.figures["job_reconnects"]).toBeGreaterThanOrEqual(30);
  expect(result.figures["all_reconnects"]).toBeGreaterThanOrEqual(30);
});

test("hostile requests get answers that the API describes, and what is foreign is not there", async () => {
  const directory = await scratchDirectory();
  const result = await askHostilely({ seed: 20_261_116, count: 1000, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBeGreaterThanOrEqual(1000);
  expect(result.figures["fewest_a_route"]).toBeGreaterThanOrEqual(10);
  expect(result.figures["s202"]).toBeGreaterThan(0);
});

test("a worker that was stopped past its lease finds its job done by another, and is not believed", async () => {
  const directory = await scratchDirectory();
  const result = await stopWorkers({ seed: 20_261_116, count: 2, directory });
  expect(result.failures).toEqual([]);
  expect(result.figures).toEqual({ in_process: 1, commands: 1 });
});

test.skipIf(!canKillEverywhere())(
  "after a kill at any system call of a git operation the next one succeeds, and nothing is left",
  async () => {
    const directory = await scratchDirectory();
    const result = await killEverywhere({ seed: 20_261_115, count: 3, directory });
    expect(result.failures).toEqual([]);
    expect(result.injected).toBeGreaterThan(2 * OPERATIONS.length);
    for (const operation of OPERATIONS) {
      expect(result.figures[`${operation.replaceAll("-", "_")}_points`]).toBeGreaterThan(20);
    }
  },
  180_000,
);
