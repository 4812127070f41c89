// A report says what is in the history and the files, the same each time, with every name as text.
import { expect, test } from "vitest";
import { importHistory, type MadeCommit } from "../../test/support/import-history.ts";
import { makeBomb } from "../../test/support/make-bomb.ts";
import { makeRepository } from "../../test/support/make-repository.ts";
import { rendererScene } from "../../test/support/renderer-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";

const DAY = 86_400;
const START = 1_700_000_000;

async function repositoryWith(commits: Iterable<MadeCommit>): Promise<string> {
  const repository = await makeRepository(await scratchDirectory(), "app", { files: 0 });
  await importHistory(repository, commits);
  return repository;
}

function commit(number: number, rest: Partial<MadeCommit> = {}): MadeCommit {
  return {
    ...{ author: "Ann", email: "ann@example.org", at: START + number * DAY, message: "work" },
    files: { "src/hot.ts": `export const number = ${number};\n` },
    ...rest,
  };
}

test("commits, authors, hot files, languages and sizes are counted", async () => {
  const repository = await repositoryWith([
    commit(0, { files: { "src/hot.ts": "1", "README.md": "# x\n", "gone.ts": "x" } }),
    commit(1),
    commit(2, { author: "Bob", email: "bob@example.org" }),
    commit(3, { author: "ann (work)", email: "ANN@example.org" }),
    commit(4, { files: { ".mailmap": "Robert <bob@example.org>\n" } }),
  ]);
  const { render } = await rendererScene();
  const { job, files } = await render("report", { repository });
  expect(job.result).toMatchObject({ commits: 5, is_cut: false, authors: 2, files: 4 });
  const [file] = files;
  expect(file).toMatchObject({ media_type: "text/html; charset=utf-8", kind: "generated" });
  const page = file?.content.toString() ?? "";
  for (const text of ["Robert", "hot.ts", "TypeScript", "Markdown", "14 Nov 2023", "app"]) {
    expect(page).toContain(text);
  }
  expect(page).not.toContain("Bob");
});

test("a report of a commit is the same whenever it is made, and says what it was asked", async () => {
  const repository = await repositoryWith(
    Array.from({ length: 30 }, (_, number) => commit(number)),
  );
  const [one, two] = [await rendererScene(), await rendererScene()];
  const input = { repository, since: "2023-11-24", title: "Ours" };
  const reports = await Promise.all([one, one, two].map(({ render }) => render("report", input)));
  expect(new Set(reports.map(({ files }) => files[0]?.sha256)).size).toBe(1);
  expect(reports[0]?.job.result).toMatchObject({ commits: 20 });
  expect(reports[0]?.files[0]?.content.toString()).toContain("since 2023-11-24");
  const all = await one.render("report", { repository, since: "1900-01-01" });
  expect(all.job.result).toMatchObject({ commits: 30 });
});

test("an odd clock stretches no plot, and a history of one commit is a report too", async () => {
  const { render } = await rendererScene();
  const odd = await repositoryWith([
    commit(0, { at: 0 }),
    ...Array.from({ length: 400 }, (_, number) => commit(number)),
    commit(1, { at: 4_000_000_000 }),
  ]);
  const { files } = await render("report", { repository: odd });
  expect(files[0]?.content.toString()).toContain("without 2 whose dates lie far from all others");
  const single = await render("report", { repository: await repositoryWith([commit(0)]) });
  expect(single.job).toMatchObject({ status: "done", result: { commits: 1 } });
});

test("names of people and files are text, whatever they are made of", async () => {
  const evil = `"><img src=x onerror=alert(1)>'&`;
  const repository = await repositoryWith([
    commit(0, {
      author: "</style><script>alert(1)</script>".replaceAll(/[<>]/g, ""),
      email: "x@example.org",
      files: { [`dir${evil}/${evil}.ts`]: "x", "<script>alert(2)</script>": "y" },
    }),
    commit(1, {
      message: `<script>alert('subject')</script> ${evil}`,
      author: "\u202egnp.exe",
      email: "rtl@example.org",
      files: { "a\u202eb": "z" },
    }),
  ]);
  const { render } = await rendererScene();
  const title = "</title><script>alert(3)</script>";
  const { files } = await render("report", { repository, title });
  const page = files[0]?.content.toString() ?? "";
  expect(page).not.toMatch(/<script|<img|\u202e/i);
  expect(page).toContain("&lt;script&gt;alert(&#39;subject&#39;)");
});

test("a history that is too long is cut, and the page says so", async () => {
  function* many() {
    for (let number = 0; number < 50_100; number++) {
      yield commit(0, { at: START + number * 600, files: { [`f${number % 50}`]: `${number}` } });
    }
  }
  const repository = await repositoryWith(many());
  const { render } = await rendererScene();
  const { job, files } = await render("report", { repository });
  expect(job.result).toMatchObject({ commits: 50_000, is_cut: true });
  expect(files[0]?.content.toString()).toContain("only the newest 50,000 commits");
}, 120_000);

test("a name and a subject of megabytes are no reason to fail", async () => {
  const long = { author: "a".repeat(2_000_000), email: "e".repeat(2_000_000) };
  const repository = await repositoryWith([
    commit(0, { message: "m".repeat(2_000_000) }),
    commit(1, { ...long, message: `subject ${"s".repeat(2_000_000)}` }),
  ]);
  const { render } = await rendererScene();
  const { job, files } = await render("report", { repository });
  expect(job).toMatchObject({ status: "done", result: { commits: 2, authors: 2 } });
  const page = files[0]?.content.toString() ?? "";
  expect(page).toContain(`<bdi>${"a".repeat(199)}…</bdi>`);
  expect(page).toContain(`<bdi>subject ${"s".repeat(191)}…</bdi>`);
});

test.runIf(process.platform === "linux")(
  "a small repository that names more files than memory takes fails at once, with the limit",
  async () => {
    const { render } = await rendererScene();
    const long = await makeBomb(await scratchDirectory(), { depth: 6, nameLength: 200 });
    const history = await render("report", { repository: long });
    expect(history.job).toMatchObject({
      ...{ status: "failed", attempt: 1 },
      error: { class: "invalid", code: "too-large" },
    });
    expect(history.job.error?.message).toContain("needs more than 1024 MiB of memory");
  },
);
