// pg-boss, whose workers are woken after each job: else they sleep half a second between any two.
import PgBoss from "pg-boss";
import { type BenchDatabase, tidyDatabase, withClient } from "./bench-databases.ts";
import type { Contender } from "./contender.ts";

const BULK = 1000;
const QUEUE = "noop";
const POLL_S = 0.5;

export async function openPgBoss(database: BenchDatabase): Promise<Contender> {
  const boss = new PgBoss({ ...database.target, max: 20, schedule: false });
  boss.on("error", (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  await boss.createQueue(QUEUE);
  let count = 0;
  let workers: string[] = [];
  const wakeOne = () => {
    const id = workers[count % workers.length];
    if (id !== undefined) boss.notifyWorker(id);
  };
  return {
    name: "pgboss",
    title: "pg-boss 10",
    note: "10.4.2, the last for Node 20; no limits; workers woken by hand after each job and each send of this process",
    share: 0.2,
    enqueue: async () => {
      await boss.send(QUEUE, { n: count++ });
      wakeOne();
    },
    fill: async (jobs) => {
      for (let done = 0; done < jobs; done += BULK) {
        const length = Math.min(BULK, jobs - done);
        await boss.insert(Array.from({ length }, () => ({ name: QUEUE, data: { n: count++ } })));
      }
    },
    work: async (slots, onStart) => {
      const options = { batchSize: 1, pollingIntervalSeconds: POLL_S };
      for (let slot = 0; slot < slots; slot++) {
        const id: string = await boss.work(QUEUE, options, async () => {
          onStart();
          boss.notifyWorker(id);
        });
        workers.push(id);
      }
      return {
        close: async () => {
          for (const id of workers) await boss.offWork({ id });
          workers = [];
        },
      };
    },
    left: () =>
      withClient(database.target, async (client) => {
        const { rows } = await client.query<{ left: number }>(
          "select count(*)::integer as left from pgboss.job where state < 'completed' and name = $1",
          [QUEUE],
        );
        return rows[0]?.left ?? Number.NaN;
      }),
    tidy: () => tidyDatabase(database.target),
    close: () => boss.stop({ graceful: false, wait: true }),
  };
}
