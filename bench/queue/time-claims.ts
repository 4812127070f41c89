// How long a claim takes, and what it does not depend on: a backlog, full lanes, a full owner, somebody's old snapshot.
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Database } from "@croft/engine";
import { amount, isQuick } from "../quick.ts";
import { median } from "../table.ts";
import { makeDatabase, withClient } from "./bench-databases.ts";
import { type ClaimScene, openClaimScene } from "./claim-scene.ts";

export interface ClaimTimes {
  /** 1,000 jobs in 50 lanes: what the others are compared with. */
  readonly few: number;
  readonly behindFullLane50k: number;
  readonly behindFullLane1m: number;
  /** From the long lane itself. */
  readonly inOpenLane1m: number;
  readonly lanesOfFullOwner: number;
  readonly oldSnapshot: number;
  readonly oldSnapshotJobs: number;
}

const LANES = 50;
const LANE_JOBS = 20;
const CLAIMS = 300;
const SNAPSHOT_MS = isQuick ? 6000 : 60_000;
const SNAPSHOT_SLOTS = 10;
const SNAPSHOT_BULK = 2000;
const keys = (count: number) => Array.from({ length: count }, (_, number) => `k${number}`);

export async function timeClaims(server: Database, root: string): Promise<ClaimTimes> {
  const inScene = async <T>(name: string, work: (scene: ClaimScene) => Promise<T>): Promise<T> => {
    const database = await makeDatabase(server, `claims_${name}`);
    try {
      const scene = await openClaimScene(database, join(root, name));
      try {
        await scene.enqueue("app:few", keys(LANES), LANE_JOBS);
        return await work(scene);
      } finally {
        await scene.close();
      }
    } finally {
      await database.drop();
    }
  };
  const few = await inScene("few", timeClaim);
  const behindFullLane50k = await inScene("full", async (scene) => {
    await fillLongLane(scene, amount(50_000));
    return await timeClaim(scene);
  });
  const long = await inScene("long", async (scene) => {
    await fillLongLane(scene, amount(1_000_000));
    const behind = await timeClaim(scene);
    await openLongLane(scene);
    return { behind, inside: await timeClaim(scene) };
  });
  const lanesOfFullOwner = await inScene("lanes", async (scene) => {
    await fillOwner(scene, amount(20_000));
    return await timeClaim(scene);
  });
  const snapshot = await inScene("snapshot", (scene) => timeOldSnapshot(scene));
  return {
    ...{ few, behindFullLane50k, lanesOfFullOwner },
    behindFullLane1m: long.behind,
    inOpenLane1m: long.inside,
    oldSnapshot: snapshot.claim,
    oldSnapshotJobs: snapshot.jobs,
  };
}

async function timeClaim(scene: ClaimScene): Promise<number> {
  await scene.query("analyze");
  await scene.query("checkpoint");
  await scene.claim(CLAIMS / 10);
  return median(await scene.claim(CLAIMS));
}

/** One job of it runs, so the lane is full; the others are written at once, as one enqueue after another would have. */
async function fillLongLane(scene: ClaimScene, jobs: number): Promise<void> {
  await scene.enqueue("app:long", ["long"], 2);
  await holdOneOf(scene, "app:long");
  await scene.query(
    `insert into croft.job (id, owner, key, lane_id, type, class, rank, run_at, input)
     select gen_random_uuid(), j.owner, j.key, j.lane_id, j.type, j.class, j.rank + n / 1000.0, j.run_at, j.input
     from croft.job j, generate_series(1, $1) n where j.owner = 'app:long' and j.status = 'queued'`,
    [jobs - 1],
  );
  await scene.query("update croft.lane set queued = queued + $1 where owner = 'app:long'", [
    jobs - 1,
  ]);
  await scene.query("vacuum (analyze) croft.job");
}

/** The long lane has room, and nobody else has. */
async function openLongLane(scene: ClaimScene): Promise<void> {
  await scene.query(
    `select croft.change_lane(id, case when owner = 'app:long' then 1000 end, owner = 'app:long', owner <> 'app:long')
     from croft.lane`,
  );
}

/** One job of its many lanes runs, and it may have no more. */
async function fillOwner(scene: ClaimScene, lanes: number): Promise<void> {
  await scene.enqueue("app:many", keys(lanes), 1);
  await scene.query(
    "update croft.owner set max_running = 1, has_own_limit = true where id = 'app:many'",
  );
  await holdOneOf(scene, "app:many");
}

/** A job of this owner begins, by a claim while all others are paused, and does not end. */
async function holdOneOf(scene: ClaimScene, owner: string): Promise<void> {
  const pause = (paused: boolean) =>
    scene.query(
      "select croft.change_lane(id, null, false, $1) from croft.lane where owner = 'app:few'",
      [paused],
    );
  await pause(true);
  const [turn] = await scene.query<{ claimed: { owner: string }[] | null }>(
    `select claimed from croft.take_turn((select id from croft.worker limit 1), null, 1, '{noop}')`,
  );
  if (turn?.claimed?.[0]?.owner !== owner) throw new Error(`no job of ${owner} was claimed`);
  await pause(false);
}

/** Somebody looks at the database as it was a minute ago, so that nothing may be cleared away, while jobs run on. */
async function timeOldSnapshot(scene: ClaimScene): Promise<{ claim: number; jobs: number }> {
  return await withClient(scene.target, async (reader) => {
    await reader.query("begin isolation level repeatable read");
    await reader.query("select count(*) from croft.job");
    const until = performance.now() + SNAPSHOT_MS;
    let jobs = 0;
    while (performance.now() < until) {
      await scene.enqueue("app:few", keys(LANES), SNAPSHOT_BULK / LANES);
      await scene.runThrough(SNAPSHOT_BULK, SNAPSHOT_SLOTS);
      jobs += SNAPSHOT_BULK;
    }
    const claim = median(await scene.claim(CLAIMS));
    await reader.query("commit");
    return { claim, jobs };
  });
}
