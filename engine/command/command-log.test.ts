// A command that writes much and fast: all of it is in the log, and its end even where the log is too short.
import { expect, onTestFinished, test } from "vitest";
import { makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { readJob } from "../jobs/read-jobs.ts";
import { startWorker } from "../worker/start-worker.ts";

async function logOf(command: string): Promise<string> {
  const engine = await scratchEngine({ "git.allowLocal": true });
  const repository = await makeRepository(await scratchDirectory(), "app", { files: 1 });
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const job = { type: "command", input: { repository, command }, owner: "local" } as const;
  const { id } = await engine.intake.submit({ ...job, priority: "normal" });
  await waitUntil(
    "its end",
    async () => (await readJob(engine.database, { owner: undefined }, id)).finished_at !== null,
    60_000,
  );
  const { rows } = await engine.database.pool.query<{ text: string }>(
    "select text from croft.job_log where job_id = $1 order by seq",
    [id],
  );
  return rows.map(({ text }) => text).join("");
}

test("nothing of ten megabytes is missing, nor what came last on the other stream", async () => {
  const log = await logOf("seq 1 1400000; echo THE END >&2; exit 3");
  const numbers = log.split("\n").filter((line) => /^\d+$/.test(line));
  expect(numbers.length).toBe(1_400_000);
  expect(numbers.every((line, index) => Number(line) === index + 1)).toBe(true);
  expect(log).toContain("THE END\n");
  expect(log).toMatch(/exit code 3\n$/);
}, 90_000);

test("of more than the limit the end is there", async () => {
  const log = await logOf("seq 1 10000000; echo THE END >&2; exit 3");
  expect(log).toContain("\n1\n2\n3\n");
  expect(log).toMatch(/\n… \d+ bytes are missing here: /);
  expect(log).toMatch(/\n9999999\n10000000\n.*exit code 3\n$/s);
  expect(log).toContain("THE END\n");
}, 90_000);
