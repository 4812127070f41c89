// The handlers of this process's project as job types: each job of theirs runs in a process beside this one.
import { randomBytes } from "node:crypto";
import { mkdir, readdir, realpath, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isProcessAlive, processesIn, removeTree, signalProcess, thisProcess } from "@croft/git";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { EngineError } from "../engine-error.ts";
import type { Attempt, JobType } from "../jobs/job-type.ts";
import { newId } from "../new-id.ts";
import { workerSlots } from "../worker/worker-slots.ts";
import { HandlerAnswers } from "./handler-answers.ts";
import type { HandlerParts } from "./handler-parts.ts";
import { HandlerPool } from "./handler-pool.ts";
import { InputChecks } from "./input-checks.ts";
import type { Project } from "./project-handlers.ts";

export interface HandlersOptions extends HandlerParts {
  readonly project: Project | undefined;
  readonly directory: Pick<DataDirectory, "run">;
  /** Names that are taken. */
  readonly builtIn: readonly string[];
  /** Submissions come to this process: what checks them is to be there before. */
  readonly isServer: boolean;
}

export interface OpenHandlers {
  readonly types: readonly JobType[];
  /** Ends their processes and removes what was written for them. */
  close(): Promise<void>;
}

/** Shorter ones, such as `1`, would be blotted out of everything. */
const SECRET_LENGTH_MIN = 8;
const OF_A_PROCESS = /^(\d+)\.([\da-f-]*)\.[\da-f]{8}$/;

export async function openHandlers(options: HandlersOptions): Promise<OpenHandlers> {
  const { project, directory, config, log, builtIn } = options;
  const home = join(await realpath(directory.run), "handlers");
  await sweep(home, (error) => log.warn({ err: error }, "leftovers of handlers stay"));
  if (project === undefined) return { types: [], close: async () => {} };
  requireNew(project, builtIn);
  const { pid, start } = thisProcess();
  const root = join(home, `${pid}.${start}.${randomBytes(4).toString("hex")}`);
  const bundle = join(root, "config.mjs");
  await mkdir(root, { recursive: true, mode: 0o700 });
  await writeFile(bundle, project.code, { mode: 0o600, flag: "wx" });
  const { environment, file, handlers } = project;
  const memoryMb = config.handler.memory;
  const command = { ...{ root, bundle, environment, cwd: dirname(file), memoryMb } };
  const checks = new InputChecks({
    ...{ ...command, log, isWarm: options.isServer, secrets: secretsOf(project) },
  });
  const pool = new HandlerPool({
    ...{ ...command, slots: workerSlots(config) },
    onError: (error, what) => log.warn({ err: error }, what),
  });
  const run = (attempt: Attempt) => runHandler(options, { pool, root, attempt, project });
  const types = [...handlers].map(([name, { description, input }]): JobType => {
    return {
      ...{ name, description, input, run, source: "project", readsOwnInput: true },
      checkInput: (given, limitMs) => checks.check(name, given, limitMs),
    };
  });
  const close = async () => {
    await Promise.all([checks.close(), pool.close()]);
    await removeTree(root);
    await rmdir(home).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "ENOENT") throw error; // others have theirs there
    });
  };
  return { types, close };
}

async function runHandler(
  parts: HandlersOptions,
  place: {
    readonly pool: HandlerPool;
    readonly root: string;
    readonly attempt: Attempt;
    readonly project: Project;
  },
): Promise<unknown> {
  const { pool, root, attempt, project } = place;
  const { signal } = attempt;
  attempt.mask(secretsOf(project));
  const isLost = () => (signal.reason as { reason?: string } | undefined)?.reason === "lost";
  const graceMs = () => (isLost() ? 0 : parts.config.shutdown.killGrace);
  const directory = join(root, newId());
  await mkdir(directory, { mode: 0o700 });
  const answers = new HandlerAnswers({ parts, attempt, directory, graceMs });
  try {
    const answer = answers.answer.bind(answers);
    return await pool.run({ attempt, directory, graceMs, answer });
  } finally {
    await answers.end();
    // That it cannot be removed is no reason to do the work again: the next start removes it.
    await removeTree(directory).catch((error: unknown) =>
      parts.log.warn({ err: error, job: attempt.id }, "the directory of a handler stays"),
    );
  }
}

function secretsOf({ environment }: Project): string[] {
  return Object.values(environment).filter(({ length }) => length >= SECRET_LENGTH_MIN);
}

function requireNew({ handlers, file }: Project, builtIn: readonly string[]): void {
  const taken = [...handlers.keys()].find((name) => builtIn.includes(name));
  if (taken === undefined) return;
  const message = `handlers.${taken} has the name of a built-in job type (${file})`;
  throw new EngineError("config-invalid", `invalid configuration: ${message}`);
}

/** Of processes that did not come to remove it themselves. */
async function sweep(home: string, onError: (error: unknown) => void): Promise<void> {
  const names = await readdir(home).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  for (const name of names) {
    const [, pid, start] = OF_A_PROCESS.exec(name) ?? [];
    if (pid === undefined || start === undefined) continue;
    if (isProcessAlive({ pid: Number(pid), start })) continue;
    const path = join(home, name);
    try {
      const places = [path, ...(await readdir(path)).map((each) => join(path, each))];
      for (const found of processesIn(places, process.getuid?.() ?? 0)) {
        signalProcess(found, "SIGKILL");
      }
      await removeTree(path);
    } catch (error) {
      onError(error); // nothing of it is in the way
    }
  }
}
