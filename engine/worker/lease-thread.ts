// The thread that keeps a worker's lease: a handler that blocks the process cannot stop it, a stopped process does.
import { parentPort, workerData } from "node:worker_threads";
import pg from "pg";

export interface LeaseThreadData {
  readonly target: pg.ClientConfig;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly renewEveryMs: number;
}

/** `lost`: the database says that this worker has ended. `failed`: it could not be asked. */
export type LeaseMessage =
  | { readonly kind: "renewed"; readonly cancelled: readonly string[]; readonly askedAtMs: number }
  | { readonly kind: "lost" }
  | { readonly kind: "failed"; readonly message: string };

const { target, workerId, leaseMs, renewEveryMs } = workerData as LeaseThreadData;
const tell = (message: LeaseMessage) => parentPort?.postMessage(message);
let client: pg.Client | undefined;
let isOver = false;

parentPort?.on("message", () => {
  isOver = true;
  clearTimeout(timer);
  void client?.end().finally(() => parentPort?.close());
  if (client === undefined) parentPort?.close();
});

let timer = setTimeout(renew, 0);

async function renew(): Promise<void> {
  const askedAtMs = monotonicMs();
  try {
    client ??= await connect();
    const { rows } = await client.query<{ cancelled: string[] }>(
      "select cancelled from croft.renew($1, $2)",
      [workerId, leaseMs],
    );
    const [row] = rows;
    if (row === undefined) {
      isOver = true;
      tell({ kind: "lost" });
    } else {
      tell({ kind: "renewed", cancelled: row.cancelled, askedAtMs });
    }
  } catch (error) {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    const broken = client;
    client = undefined;
    await broken?.end().catch(() => {}); // broken: that is why
  }
  if (!isOver) timer = setTimeout(renew, Math.max(50, renewEveryMs - (monotonicMs() - askedAtMs)));
}

async function connect(): Promise<pg.Client> {
  const opened = new pg.Client({
    ...target,
    application_name: "croft lease",
    connectionTimeoutMillis: renewEveryMs,
    query_timeout: renewEveryMs,
  });
  opened.on("error", () => {
    client = undefined; // the next renewal opens another
  });
  await opened.connect();
  return opened;
}

/** The same in every thread; `performance.now()` counts from a thread's own start. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
