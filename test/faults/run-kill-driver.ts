// Runs the process under fire once, with one system call in it or in one of its children broken into.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { build, type Plugin } from "esbuild";
import { waitUntil } from "../support/wait-until.ts";
import type { DriverOutcome, DriverPlan } from "./git-kill-driver.ts";
import { MUTATING_CALLS } from "./traced-programs.ts";

/** The n-th call of one name in one thread or process. */
export interface KillPoint {
  readonly call: string;
  readonly when: number;
  /** The place of the thread in the order of their numbers; or the child's name. */
  readonly at: { readonly thread: number } | { readonly child: string };
  /** When a child comes to the point: whether it dies, or the process that started it (and it lives on). */
  readonly dies: "caller" | "child";
}

export interface DriverEnd {
  /** Undefined when it was killed. */
  readonly outcome: DriverOutcome | undefined;
  /** Whether the point was reached. */
  readonly isHit: boolean;
}

type Driver = ChildProcessByStdio<Writable, Readable, null>;

/** As one file, because each run begins with reading it. */
export async function bundleDriver(directory: string): Promise<string> {
  const outfile = join(directory, "driver.mjs");
  const require = createRequire(import.meta.url);
  const nativeBeside: Plugin = {
    name: "native-beside",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^fs-native-extensions$/ }, ({ path }) => ({
        path: require.resolve(path, { paths: [join(import.meta.dirname, "../../git")] }),
        external: true,
      }));
    },
  };
  const entryPoints = [join(import.meta.dirname, "git-kill-driver.ts")];
  await build({
    ...{ entryPoints, outfile, bundle: true, platform: "node", format: "esm" },
    ...{ target: "node20", plugins: [nativeBeside], logLevel: "error" },
  });
  return outfile;
}

/** Writes down every call that changes something: one file in `log` for each thread, by its place, and each child. */
export async function recordDriver(
  bundle: string,
  plan: DriverPlan,
  log: string,
): Promise<DriverEnd> {
  const variables = { FAULT_MODE: "record", FAULT_LOG: log, FAULT_CALLS: MUTATING_CALLS };
  const driver = start(bundle, { ...plan, isRecorded: true }, variables);
  const threads = await readThreads(driver);
  const flags = ["-qq", "-y", "-e", `trace=${MUTATING_CALLS}`];
  const tracers = threads.map((thread, place) =>
    attach([...flags, "-o", join(log, `thread.${place}`)], driver, thread),
  );
  await Promise.all(tracers);
  const finished = finish(driver);
  driver.stdin.write("go\n");
  return { outcome: await finished, isHit: false };
}

export async function killDriver(
  bundle: string,
  plan: DriverPlan,
  point: KillPoint,
  log: string,
): Promise<DriverEnd> {
  return "thread" in point.at
    ? await killItself(bundle, plan, { ...point, thread: point.at.thread })
    : await killThroughChild(bundle, plan, { ...point, child: point.at.child }, log);
}

async function killItself(
  bundle: string,
  plan: DriverPlan,
  { thread, call, when }: { thread: number; call: string; when: number },
): Promise<DriverEnd> {
  const driver = start(bundle, plan, {});
  const threads = await readThreads(driver);
  const target = threads[thread];
  if (target === undefined) throw new Error(`there is no thread ${thread} in this run`);
  const inject = `inject=${call}:signal=SIGKILL:when=${when}`;
  const flags = ["-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
  await attach(flags, driver, target);
  const finished = finish(driver);
  driver.stdin.write("go\n");
  const outcome = await finished;
  return { outcome, isHit: outcome === undefined };
}

async function killThroughChild(
  bundle: string,
  plan: DriverPlan,
  { child, call, when, dies }: KillPoint & { child: string },
  log: string,
): Promise<DriverEnd> {
  const pidFile = join(log, "pid");
  await rm(pidFile, { force: true });
  await rm(`${pidFile}.trace`, { force: true });
  const signal = dies === "child" ? "SIGKILL" : "SIGSTOP";
  const driver = start(bundle, plan, {
    ...{ FAULT_MODE: "kill", FAULT_LOG: log, FAULT_KEY: child },
    ...{ FAULT_CALL: call, FAULT_WHEN: String(when), FAULT_SIGNAL: signal },
  });
  await readThreads(driver);
  if (dies === "child") {
    driver.stdin.write("go\n");
    const outcome = await finish(driver);
    return { outcome, isHit: hasHappened(pidFile, /killed by SIGKILL/) };
  }
  return await killWhileChildWaits(driver, pidFile);
}

/** The child stops at the point; then its parent is killed, and the child goes on as if nothing had happened. */
async function killWhileChildWaits(driver: Driver, pidFile: string): Promise<DriverEnd> {
  const finished = finish(driver);
  driver.stdin.write("go\n");
  const pid = await waitUntil("the child to stop", () => {
    if (driver.exitCode !== null || driver.signalCode !== null) return "ended";
    return stoppedPid(pidFile);
  });
  if (pid !== "ended") {
    driver.kill("SIGKILL");
    await finished;
    process.kill(pid, "SIGCONT");
  }
  return { outcome: await finished, isHit: pid !== "ended" };
}

function stoppedPid(pidFile: string): number | undefined {
  const isStopped = hasHappened(pidFile, /stopped by SIGSTOP/);
  return isStopped ? Number(readFileSync(pidFile, "utf8")) : undefined;
}

/** As strace tells of the child whose number is in the file. */
function hasHappened(pidFile: string, what: RegExp): boolean {
  const trace = `${pidFile}.trace`;
  return existsSync(trace) && what.test(readFileSync(trace, "utf8"));
}

function start(bundle: string, plan: DriverPlan, variables: Record<string, string>): Driver {
  return spawn(process.execPath, [bundle, JSON.stringify(plan)], {
    // One thread for waiting calls, so that their order is the same each time.
    env: { PATH: process.env["PATH"] ?? "", UV_THREADPOOL_SIZE: "1", ...variables },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

async function readThreads(driver: Driver): Promise<readonly number[]> {
  const [chunk] = await once(driver.stdout, "data");
  return JSON.parse(String(chunk)).threads;
}

/** To one thread; without -f, so that its children are left to their own. */
async function attach(flags: readonly string[], driver: Driver, thread: number): Promise<void> {
  const args = [...flags, "-p", String(thread)];
  const tracer = spawn("strace", args, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(tracer, "exit"); // with the driver
  await waitUntil("strace to attach", () => {
    const status = readFileSync(`/proc/${driver.pid}/task/${thread}/status`, "utf8");
    return !/^TracerPid:\s*0$/m.test(status);
  });
  driver.once("exit", () => void ended);
}

async function finish(driver: Driver): Promise<DriverOutcome | undefined> {
  let said = "";
  driver.stdout.on("data", (chunk) => {
    said += chunk;
  });
  await once(driver, "close");
  return said === "" ? undefined : JSON.parse(said);
}
