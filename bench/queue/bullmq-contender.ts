// BullMQ on a Redis of its own.
import { Queue, Worker } from "bullmq";
import type { Contender, ContenderName } from "./contender.ts";
import { startRedis } from "./redis-server.ts";

export interface BullmqOptions {
  readonly name: ContenderName;
  readonly title: string;
  readonly note: string;
  readonly directory: string;
  readonly redis: Readonly<Record<string, string>>;
}

const BULK = 1000;

export async function openBullmq(options: BullmqOptions): Promise<Contender> {
  const { name, title, note } = options;
  const redis = await startRedis(options.directory, options.redis);
  const connection = { path: redis.socket, maxRetriesPerRequest: null };
  const queue = new Queue<{ n: number }>("noop", { connection });
  let count = 0;
  return {
    ...{ name, title, note, share: 1 },
    enqueue: async () => void (await queue.add("noop", { n: count++ })),
    fill: async (jobs) => {
      for (let done = 0; done < jobs; done += BULK) {
        const length = Math.min(BULK, jobs - done);
        await queue.addBulk(Array.from({ length }, () => ({ name: "noop", data: { n: count++ } })));
      }
    },
    work: async (concurrency, onStart) => {
      const worker = new Worker("noop", async () => onStart(), { connection, concurrency });
      worker.on("error", (error) => process.stderr.write(`bullmq: ${error.message}\n`));
      await worker.waitUntilReady();
      return { close: () => worker.close() };
    },
    left: () => queue.getJobCountByTypes("waiting", "active", "delayed", "prioritized"),
    tidy: () => queue.obliterate({ force: true }),
    close: async () => {
      await queue.close();
      await redis.stop();
    },
  };
}
