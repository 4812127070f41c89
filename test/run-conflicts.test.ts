// Runs that want the same branch, and branches that do not go together: nothing is lost, and who has to wait or fail is told.
import { join } from "node:path";
import type { RunDetail } from "@croft/contract";
import { expect, test } from "vitest";
import { HOLD, heldSteps, letGo } from "./support/held-steps.ts";
import { git } from "./support/make-repository.ts";
import { KINDS, type Kind, sharedRuns } from "./support/shared-runs.ts";
import { findDamage, mirrorsIn, resultsIn } from "./support/stored-repositories.ts";

const runs = sharedRuns();
/** Results of overlays and clones are kept alike, those of worktrees in the developer's own repository. */
const HOMES = KINDS.filter((kind) => kind !== "clone" || KINDS[0] === "clone");
const [USUAL = "clone"] = KINDS;

function pushing(branch: string, onConflict: string): string {
  return `
inputs: { file: { type: string, required: true } }
steps:
  make:
    env: { FILE: "\${{ inputs.file }}" }
    run: 'mkdir -p "$(dirname "$FILE")"; echo "by $CROFT_RUN_ID" > "$FILE"'
  push: { needs: make, publish: { from: make, branch: "${branch}", on-conflict: ${onConflict} } }
`;
}

/** At the same time, one for each file. */
async function pushAll(
  kind: Kind,
  files: readonly string[],
  text: string,
): Promise<readonly RunDetail[]> {
  const { startIn, end } = runs();
  const ids = await Promise.all(files.map((file) => startIn(kind, text, { inputs: { file } })));
  return await Promise.all(ids.map(end));
}

function commitOf({ steps }: RunDetail, name: string): string {
  return steps.find(({ step }) => step === name)?.commit ?? "";
}

/** Where a branch is published: a run in worktrees is the checkout's own. */
async function published(kind: Kind, ...args: string[]): Promise<string> {
  const { origin, checkout } = runs();
  const gitDir = kind === "worktree" ? join(checkout, ".git") : origin;
  return await git(["--git-dir", gitDir, ...args]);
}

async function kept(kind: Kind, ...args: string[]): Promise<string> {
  const { data, checkout } = runs();
  const gitDir = kind === "worktree" ? join(checkout, ".git") : resultsIn(data)[0];
  return await git(["--git-dir", gitDir ?? "", ...args]);
}

async function expectWhole(): Promise<void> {
  const { data, origin, checkout, query } = runs();
  const all = [...mirrorsIn(data), ...resultsIn(data), origin, join(checkout, ".git")];
  expect(await findDamage(all)).toEqual([]);
  expect(await query("select from croft.lane_hold")).toEqual([]);
}

test.each(KINDS)(
  "two runs publish one branch at once: one has it, the other fails clearly and keeps its work (%s)",
  async (kind) => {
    const branch = `wanted/${kind}`;
    const details = await pushAll(kind, ["a.txt", "b.txt"], pushing(branch, "fail"));
    const first = details.find(({ status }) => status === "done");
    const second = details.find(({ status }) => status === "failed");
    if (first === undefined || second === undefined) throw new Error(JSON.stringify(details));
    expect(second.error).toMatchObject({ code: "conflict", class: "invalid" });
    expect(second.error?.message).toContain(`branch '${branch}' has moved`);
    expect(second.steps.find(({ step }) => step === "push")?.attempt).toBe(1);
    expect(await published(kind, "rev-parse", branch)).toBe(commitOf(first, "push"));
    expect(await kept(kind, "cat-file", "-t", commitOf(second, "make"))).toBe("commit");
    await expectWhole();
  },
);

test.each(HOMES)(
  "with on-conflict: retry all have it, one after the other, with nobody's work lost (%s)",
  async (kind) => {
    const branch = `shared/${kind}`;
    const files = ["a.txt", "b.txt", "d/e.txt"];
    const details = await pushAll(kind, files, pushing(branch, "retry"));
    expect(details.flatMap(({ error }) => error ?? [])).toEqual([]);
    const there = (await published(kind, "ls-tree", "-r", "--name-only", branch)).split("\n");
    expect(there).toEqual(expect.arrayContaining(files));
    for (const [index, detail] of details.entries()) {
      for (const name of ["make", "push"]) {
        const ancestry = ["merge-base", "--is-ancestor", commitOf(detail, name), branch];
        expect(await published(kind, ...ancestry)).toBe("");
      }
      const text = await published(kind, "show", `${branch}:${files[index]}`);
      expect(text).toBe(`by ${detail.id}`);
    }
    await expectWhole();
  },
);

test("with on-conflict: retry, what cannot be merged fails with its files, and the branch is whole", async () => {
  const files = ["same.txt", "same.txt"];
  const details = await pushAll(USUAL, files, pushing("fought-over", "retry"));
  const winner = details.find(({ status }) => status === "done");
  const loser = details.find(({ status }) => status === "failed");
  expect(loser?.error).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("same.txt"),
  });
  const text = await published(USUAL, "show", "fought-over:same.txt");
  expect(text).toBe(`by ${winner?.id}`);
  await expectWhole();
});

test("runs of one concurrency key are one after the other, and so never fight", async () => {
  const text = `concurrency: { key: serial }\n${pushing("serial", "retry")}`;
  const details = await pushAll(USUAL, ["a.txt", "b.txt", "c.txt"], text);
  for (const { status } of details) expect(status).toBe("done");
  const overlaps = await runs().query(
    `select from croft.run a join croft.run b on a.id < b.id and a.key = 'serial' and b.key = 'serial'
     where (a.started_at, a.finished_at) overlaps (b.started_at, b.finished_at)`,
  );
  expect(overlaps).toEqual([]);
});

test("two runs work on a branch of one name at once: apart from each other, or the second is told that it cannot", async () => {
  const { startIn, end } = runs();
  const text = `steps:\n  work: { workspace: { branch: same-name }, run: "${HOLD}; echo x > x" }\n`;
  const apart = KINDS.filter((kind) => kind !== "worktree").flatMap((kind) => [kind, kind]);
  const ids = await Promise.all(apart.map((kind) => startIn(kind, text)));
  await letGo(await heldSteps(runs(), ids, apart.length));
  for (const { status } of await Promise.all(ids.map(end))) expect(status).toBe("done");
  const first = await startIn("worktree", text);
  const places = await heldSteps(runs(), [first], 1);
  const second = await end(await startIn("worktree", text));
  expect(second.status).toBe("failed");
  expect(second.error?.message).toContain("same-name");
  await letGo(places);
  expect(await end(first)).toMatchObject({ status: "done", error: null });
  await expectWhole();
});

const EIGHT = `
steps:
  build:
    matrix: { n: [1, 2, 3, 4, 5, 6, 7, 8] }
    workspace: { branch: "\${{ run.id }}/\${{ matrix.n }}" }
    env: { N: "\${{ matrix.n }}" }
    run: |
      echo "$N" > "own-$N.txt"
      case "$N" in 2|5|7) echo "$N" > shared.txt ;; esac
  merge: { needs: build, integrate: { from: build, on-conflict: warn } }
  verify: { needs: merge, workspace: { from: merge }, run: 'test "$(cat shared.txt)" = 2' }
  push: { needs: [merge, verify], publish: { from: merge, branch: "merged/\${{ run.id }}" } }
`;

test.each(HOMES)(
  "of 8 branches 2 conflict: 6 are integrated in order, 2 are told with their files, all 8 are kept (%s)",
  async (kind) => {
    const { startIn, end } = runs();
    const detail = await end(await startIn(kind, EIGHT));
    expect(detail.error).toBe(null);
    const merge = detail.steps.find(({ step }) => step === "merge");
    const good = ["1", "2", "3", "4", "6", "8"];
    const conflict = (id: string) => expect.objectContaining({ id, files: ["shared.txt"] });
    expect(merge?.report).toEqual({
      integrated: good,
      conflicts: [conflict("5"), conflict("7")],
      left_out: [],
    });
    const items = detail.steps.filter(({ step, item }) => step === "build" && item !== null);
    const order = ["log", "--first-parent", "--reverse", "--format=%P"];
    const range = `${detail.commit}..merged/${detail.id}`;
    const merges = (await published(kind, ...order, range)).split("\n");
    const commits = new Map(items.map(({ item, commit }) => [item, commit]));
    expect(merges.map((parents) => parents.split(" ")[1])).toEqual(
      good.map((item) => commits.get(item)),
    );
    const reachable = (await kept(kind, "rev-list", "--all")).split("\n");
    expect(items).toHaveLength(8);
    for (const { commit } of items) expect(reachable).toContain(commit);
    await expectWhole();
  },
);
