// Several runs on one commit: GitHub shows the check that was made last, and that is the newest run's.
import { expect, test } from "vitest";
import type { FakeGithub } from "../../test/support/fake-github.ts";
import { githubPipelineScene } from "../../test/support/github-pipeline-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

const MAKE = /POST .*check-runs$/;
const pipeline = (more = "") =>
  `name: review\non: { github: { event: pull_request${more} } }\nsteps: { a: { run: 'true' } }\n`;

async function scene(text: string) {
  const parts = await githubPipelineScene();
  const { github, repository, store, send, settled, runs, query } = parts;
  await store("review", text);
  const pull = await github.openPullRequest(repository);
  return {
    ...parts,
    send: async (action: string) => {
      await send(pull, action);
      await settled();
    },
    requested: (count: number) =>
      waitUntil(`${count} requests for a check`, () => {
        return github.requests.filter(({ line }) => MAKE.test(line)).length >= count;
      }),
    hurry: () => query("update croft.github_check set due_at = croft.now()"),
    told: () =>
      waitUntil("all checks to be told", async () => {
        return (await query("select from croft.github_check where is_open")).length === 0;
      }),
    /** Which runs have checks, in the order in which they were made, and how those ended. */
    checks: async () => {
      const ids = (await runs()).map(({ id }) => id);
      return repository.checkRuns.map(({ externalId, conclusion }) => ({
        ...{ run: ids.indexOf(externalId ?? ""), conclusion },
      }));
    },
  };
}

test("a check is made when those of older runs are, however long they take", async () => {
  const { github, send, ended, told, checks } = await scene(pipeline());
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  github.faults = [{ kind: "gate", opened, of: MAKE, times: 1 }];
  await send("opened");
  await send("labeled");
  for (const nth of [0, 1]) await ended(nth);
  expect(await checks()).toEqual([]);
  open();
  await told();
  expect(await checks()).toEqual([
    { run: 0, conclusion: "success" },
    { run: 1, conclusion: "success" },
  ]);
});

const SUPERSEDING = pipeline(", supersede: true");

test("a run whose place was taken before it had a check gets none", async () => {
  const { github, send, ended, told, requested, hurry, checks } = await scene(SUPERSEDING);
  github.faults = [{ kind: "status", status: 502, of: MAKE }];
  holdRuns(github);
  await send("opened");
  await requested(1);
  await send("labeled");
  expect((await ended(0)).status).toBe("cancelled");
  github.faults = [];
  await hurry();
  expect((await ended(1)).status).toBe("done");
  await told();
  expect(await checks()).toEqual([{ run: 1, conclusion: "success" }]);
});

test("a check that GitHub has made without our knowing ends with its run, too", async () => {
  const { github, send, ended, told, requested, hurry, checks } = await scene(SUPERSEDING);
  github.faults = [
    { kind: "cut", isDone: true, of: MAKE, times: 1 },
    { kind: "status", status: 502, of: /check-runs/ },
  ];
  holdRuns(github);
  await send("opened");
  await requested(1);
  await send("labeled");
  expect((await ended(0)).status).toBe("cancelled");
  github.faults = [];
  await hurry();
  expect((await ended(1)).status).toBe("done");
  await told();
  expect(await checks()).toEqual([
    { run: 0, conclusion: "cancelled" },
    { run: 1, conclusion: "success" },
  ]);
});

test("a check that GitHub refuses holds up no newer one, and is not made after it", async () => {
  const { github, send, ended, told, requested, hurry, checks } = await scene(pipeline());
  github.faults = [{ kind: "status", status: 422, of: MAKE, times: 1 }];
  await send("opened");
  await requested(1);
  await send("labeled");
  for (const nth of [0, 1]) await ended(nth);
  await waitUntil("the newer one's", async () => (await checks()).length > 0);
  await hurry();
  await told();
  expect(await checks()).toEqual([{ run: 1, conclusion: "success" }]);
});

/** None begins: git waits for as long as there are faults. */
function holdRuns(github: FakeGithub): void {
  github.faults.push({ kind: "status", status: 503, of: /info\/refs/ });
}
