// SIGKILL of the server while events of GitHub arrive: each that was acknowledged is handled once, with one effect.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type RunningServer, startServer } from "../support/croft-process.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { WEBHOOK_SECRET } from "../support/signed-event.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { PersistentGithub } from "./persistent-github.ts";
import { embeddedDatabaseUrl } from "./queue-processes.ts";

const INSTALLATIONS = 4;
const BETWEEN_EVENTS = 5;
const BETWEEN_MS_MAX = 300;
const PAUSE_MS = 40;
const END_CEILING_MS = 120_000;
/** Each event starts a job that says which one it was. */
const PROJECT = `
const input = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default {
  handlers: { note: { input, run: async () => ({}) } },
  triggers: [{ on: "issues", job: { type: "note", input: { number: "$\{{ event.number }}" } } }],
};
`;

export async function killDuringEvents(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const random = seededRandom(seed);
  const data = join(directory, "data");
  const file = join(directory, "croft.config.mjs");
  writeFileSync(file, PROJECT);
  const env = {
    ...{ CROFT_GITHUB_WEBHOOK_SECRET: WEBHOOK_SECRET, CROFT_CONFIG: file },
    ...{ CROFT_WORKER_SLOTS: "2", CROFT_JOB_MAX_LOST: "1000" },
  };
  const start = () => startServer(data, { env });
  let server: RunningServer = await start();
  const github = new PersistentGithub({
    ...{ server: () => server, random: seededRandom(seed + 1) },
    ...{ installations: INSTALLATIONS, pauseMs: PAUSE_MS },
  });
  const failures: string[] = [];
  let kills = 0;
  let events = 0;
  try {
    while (kills < count && github.failures.length === 0) {
      const before = github.acknowledged.size;
      const isAtWork = () =>
        github.acknowledged.size - before >= BETWEEN_EVENTS || github.failures.length > 0;
      await waitUntil("some events", isAtWork, END_CEILING_MS); // however busy the machine is
      await delay(random.below(BETWEEN_MS_MAX));
      server.child.kill("SIGKILL");
      await server.exit;
      server = await start();
      kills++;
    }
    await github.end();
    events = github.acknowledged.size;
    failures.push(...(await judge(data, github)));
  } catch (error) {
    failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  await github.end();
  failures.push(...github.failures);
  const code = await server.stop();
  if (code !== 0) failures.push(`the server ended with ${code}: ${server.output().slice(-2000)}`);
  return { injected: kills, figures: { events, repeated: github.repeated }, failures };
}

interface Handled {
  readonly id: string;
  readonly delivery_id: string;
  readonly status: string;
  readonly effects: number;
  readonly jobs: number;
}

async function judge(data: string, { acknowledged }: PersistentGithub): Promise<string[]> {
  const connectionString = embeddedDatabaseUrl(join(data, "postgres/socket"));
  const pool = new pg.Pool({ connectionString });
  try {
    const open = "select from croft.inbox where status = 'pending' limit 1";
    const isOver = async () => (await pool.query(open)).rowCount === 0;
    await waitUntil("the end of all events", isOver, END_CEILING_MS);
    const { rows } = await pool.query<Handled>(
      `select i.id, i.delivery_id, i.status,
         (select count(*)::integer from croft.inbox_effect where inbox_id = i.id) as effects,
         (select count(*)::integer from croft.job j where j.type = 'note'
           and 'delivery-' || (j.input ->> 'number') = i.delivery_id) as jobs
       from croft.inbox i`,
    );
    const found = new Map(rows.map((row) => [row.delivery_id, row]));
    const wrong = rows
      .filter(({ status, effects, jobs }) => status !== "handled" || effects !== 1 || jobs !== 1)
      .map((row) => `not handled once: ${JSON.stringify(row)}`);
    const lost = [...acknowledged]
      .filter(([delivery, id]) => found.get(delivery)?.id !== id)
      .map(([delivery]) => `${delivery} was acknowledged, and is lost`);
    return [...lost, ...wrong, ...(await judgeOrder(pool))].slice(0, 20);
  } finally {
    await pool.end();
  }
}

/** Of each installation, events are handled in the order in which they came. */
async function judgeOrder(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ installation: string; place: string }>(
    `select * from (
       select i.installation, i.place, lag(i.place) over (partition by i.installation order by e.xid, e.place) as before
       from croft.event e join croft.inbox i on i.id = e.subject where e.type = 'inbox.handled') x
     where before > place`,
  );
  return rows.map(({ installation, place }) => `event ${place} of ${installation} came too late`);
}
