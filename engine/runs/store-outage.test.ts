// While files cannot be read, a run that needs them waits for them: it is not given up.
import { RunAdvancer } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { heldRuns } from "../../test/support/held-runs.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

test("a run that asks for an artifact while the store is away is not held to that", async () => {
  const { start, begun, query, engine } = await heldRuns({ advancers: 0 });
  const told: string[] = [];
  const error = (_: object, message: string) => void told.push(message);
  const advancer = RunAdvancer.start({ ...engine, log: { ...engine.log, error } });
  onTestFinished(() => advancer.close());
  const id = await start(`steps:
  make: { run: x, artifacts: { list: l.json } }
  use: { needs: [make], if: "artifacts.make.list", run: x }
`);
  const make = await begun("make");
  // This machine has no store, so it must be on another.
  await query("insert into croft.asset_file (sha256, bytes) values ('\\x00', 1)");
  await query(
    `insert into croft.asset (id, owner, kind, name, media_type, bytes, sha256, job_id, run_id, step)
     values (gen_random_uuid(), 'local', 'artifact', 'list', 'application/json', 1, '\\x00', $1, $2, 'make')`,
    [make.attempt.id, id],
  );
  make.succeed({});
  await waitUntil("it to fail twice", () => told.length === 2);
  expect(told).toEqual(["a run could not go on", "a run could not go on"]);
  const [run] = await query("select status, advance_failures as n from croft.run where id = $1", [
    id,
  ]);
  expect(run).toEqual({ status: "running", n: 0 });
});
