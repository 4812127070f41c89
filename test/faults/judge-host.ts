// When all runs of a host have ended: nothing is left of them, in the database or on disk, and everything kept is whole.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkIdleQueue } from "../support/check-queue.ts";
import { findLeftovers } from "../support/find-leftovers.ts";
import { git } from "../support/make-repository.ts";
import { findDamage, mirrorsIn, resultsIn } from "../support/stored-repositories.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { RunHost } from "./run-host.ts";

const SWEPT_WITHIN_MS = 60_000;
/** For whoever ends what a killed process left, and then itself. */
const LEAVE_WITHIN_MS = 15_000;

/** Stops everybody; a server that starts again clears up after those that were killed. */
export async function judgeHost(host: RunHost): Promise<string[]> {
  const { pool, data } = host;
  const failures = [...(await host.stopWorkers()), ...(await host.stopServer())];
  await host.startServer();
  await host.untilNone("croft.workspace", SWEPT_WITHIN_MS);
  failures.push(...(await checkIdleQueue(pool)), ...(await checkRuns(host)));
  const files = await pool.query<{ sha256: string; is_used: boolean }>(
    `select encode(sha256, 'hex') as sha256, exists (select from croft.asset a where a.sha256 = f.sha256) as is_used
     from croft.asset_file f
     union all select encode(sha256, 'hex'), false from croft.asset_removal`,
  );
  failures.push(...(await host.stop()), ...compareFiles(files.rows, join(data, "assets")));
  const mirrors = mirrorsIn(data);
  const own = join(host.checkout, ".git");
  const left = () => findLeftovers(data, [...mirrors, own]);
  await waitUntil("everybody to go", () => left().length === 0, LEAVE_WITHIN_MS).catch(() => {}); // who is left is told next
  return [
    ...failures,
    ...left(),
    ...(await findDamage([...mirrors, ...resultsIn(data), host.origin, own])),
  ];
}

async function checkRuns({ pool, origin, data, checkout }: RunHost): Promise<string[]> {
  const { rows } = await pool.query<{ difference: string }>(`
    select format('run %s holds lane %s', run_id, lane_id) as difference from croft.lane_hold
    union all
    select format('run %s is due', run_id) from croft.run_due
    union all
    select format('run %s is %s', id, status) from croft.run where finished_at is null
    union all
    select format('step %s/%s of run %s is %s', step, item, run_id, status) from croft.run_step
      where status not in ('done', 'failed', 'skipped', 'cancelled')
    union all
    select format('artifact %s of %s/%s of run %s is there %s times', name, step, item, run_id, count(*))
      from croft.asset where run_id is not null group by run_id, step, item, kind, name having count(*) > 1`);
  return [
    ...rows.map(({ difference }) => difference),
    ...(await missingCommits({ pool, origin, data, checkout })),
  ];
}

type Places = Pick<RunHost, "pool" | "origin" | "data" | "checkout">;

/** Commits of steps that are nowhere any more, and branches that are too many or too few. */
async function missingCommits({ pool, origin, data, checkout }: Places): Promise<string[]> {
  const { rows } = await pool.query<{
    commit: string;
    branch: string | null;
    run_id: string;
    is_local: boolean;
  }>(
    `select s.commit, case when s.item = '' then s.branch end as branch, s.run_id, r.kind is not distinct from 'worktree' as is_local
     from croft.run_step s join croft.run r on r.id = s.run_id where s.commit is not null`,
  );
  const [results = ""] = resultsIn(data);
  const told: string[] = [];
  for (const { commit, run_id, is_local } of rows) {
    const home = is_local ? join(checkout, ".git") : results;
    const kind = await git(["--git-dir", home, "cat-file", "-t", commit]).catch(String);
    if (kind !== "commit") told.push(`commit ${commit} of run ${run_id} is lost: ${kind}`);
  }
  const format = "--format=%(refname:lstrip=2)";
  const heads = await git(["--git-dir", origin, "for-each-ref", format, "refs/heads"]);
  const published = rows.flatMap(({ branch, is_local }) => (is_local ? [] : (branch ?? [])));
  const wanted = [...new Set(["main", ...published])].sort().join();
  const there = heads.split("\n").sort().join();
  return there === wanted ? told : [...told, `branches ${there}, not ${wanted}`];
}

/** No file without a row, no asset without its file, and each has the contents it is named by. */
function compareFiles(
  rows: readonly { readonly sha256: string; readonly is_used: boolean }[],
  directory: string,
): string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[0-9a-f]{64}\./.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const hashes = files.map((path) => createHash("sha256").update(readFileSync(path)).digest("hex"));
  const there = new Set(hashes);
  const known = new Set(rows.map(({ sha256 }) => sha256));
  const lost = rows.filter(({ sha256, is_used }) => is_used && !there.has(sha256));
  return [
    ...lost.map(({ sha256 }) => `file ${sha256} is lost`),
    ...hashes.flatMap((sha256, index) => (known.has(sha256) ? [] : [`left: ${files[index]}`])),
    ...readdirSync(join(directory, "staging")).map((name) => `left in staging: ${name}`),
  ];
}
