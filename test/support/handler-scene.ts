// An engine with a worker and the handlers of a project that the test writes.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Job } from "@croft/contract";
import { type Engine, loadConfig, openEngine, readJob, startWorker } from "@croft/engine";
import { expect, onTestFinished } from "vitest";
import { findProcesses } from "./find-processes.ts";
import { scratchDatabase } from "./scratch-database.ts";
import { type AtEnd, scratchDirectory } from "./scratch-directory.ts";
import { silentLog } from "./silent-log.ts";
import { waitUntil } from "./wait-until.ts";

export interface HandlerSceneOptions {
  /** Handlers by name: the text of each function, with any input. */
  readonly handlers?: Readonly<Record<string, string>>;
  /** Instead: the whole croft.config.ts. */
  readonly config?: string;
  readonly flags?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A croft.config.ts in a directory of its own. */
export async function writeProject(text: string, atEnd?: AtEnd): Promise<string> {
  const directory = await scratchDirectory(atEnd);
  await writeFile(join(directory, "croft.config.ts"), text);
  return directory;
}

export function configOf(handlers: Readonly<Record<string, string>>): string {
  const each = Object.entries(handlers).map(
    ([name, run]) =>
      `${JSON.stringify(name)}: defineHandler({ input: z.looseObject({}), run: ${run} }),`,
  );
  return `import { defineConfig, defineHandler, z } from "croft";
    export default defineConfig({ handlers: { ${each.join("\n")} } });`;
}

export type HandlerScene = Awaited<ReturnType<typeof handlerScene>>;

/** What is given to `atEnd` last is to be done first. */
export async function handlerScene(
  options: HandlerSceneOptions,
  atEnd: AtEnd = (clearUp) => onTestFinished(clearUp),
) {
  const { handlers = {}, config: text = configOf(handlers), flags = {}, env = {} } = options;
  const directory = await writeProject(text, atEnd);
  const data = join(await scratchDirectory(atEnd), "data");
  const { config, project } = await loadConfig({
    flags: { data, "worker.slots": "2", "shutdown.killGrace": "200ms", ...flags },
    env: { DATABASE_URL: await scratchDatabase(atEnd), ...env },
    directory,
    uid: process.getuid?.(),
    home: directory,
  });
  // Last of all: nothing of it runs any more.
  atEnd(async () => expect(findProcesses([data])).toEqual([]));
  const engine = await openEngine({ config, log: silentLog, version: "test", project });
  atEnd(() => engine.close());
  const worker = await startWorker(engine);
  atEnd(() => worker.close(0));
  return { engine, worker, directory, data, ...actions(engine) };
}

/** From the sources a process learns TypeScript first. */
const CEILING_MS = 50_000;

function actions(engine: Engine) {
  const everybody = { owner: undefined };
  type Submission = Partial<Parameters<Engine["intake"]["submit"]>[0]>;
  const submit = async (type: string, job: Submission = {}) => {
    const whole = { type, input: {}, priority: "normal", owner: "local", ...job } as const;
    return (await engine.intake.submit(whole)).id;
  };
  const ended = (id: string): Promise<Job> =>
    waitUntil(
      `the end of job ${id}`,
      async () => {
        const job = await readJob(engine.database, everybody, id);
        return job.finished_at === null ? undefined : job;
      },
      CEILING_MS,
    );
  const logOf = async (id: string) => {
    const { rows } = await engine.database.pool.query<{ text: string | null }>(
      "select string_agg(text, '' order by seq) as text from croft.job_log where job_id = $1",
      [id],
    );
    return rows[0]?.text ?? "";
  };
  return {
    ...{ submit, ended, logOf },
    /** Once: what failed is not tried again. */
    run: async (type: string, job: Submission = {}) =>
      ended(await submit(type, { attempts: 1, ...job })),
  };
}
