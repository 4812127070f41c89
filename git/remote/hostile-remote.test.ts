// Whatever a remote does: the right error, in time, and neither processes, halves nor the token are left anywhere.
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { findProcesses } from "../../test/support/find-processes.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import {
  expectSame,
  mirrorProcess,
  mirrorScene,
  wishCount,
} from "../../test/support/mirror-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import type { Fault } from "../../test/support/serve-git.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import type { GitErrorCode } from "../command/git-error.ts";
import { fetchShallow } from "../mirror/shallow-fetch.ts";
import { USUAL_REFS } from "../mirror/update-mirror.ts";
import { staticToken } from "./credential-broker.ts";
import type { RemoteAccess } from "./remote-access.ts";
import { type AdvertisedCommit, resolveRef } from "./resolve-ref.ts";

const CANARY = "canary-5e1d-of-hostile-remotes";
const USER = "x-access-token";
const FORMS = [CANARY, ...[CANARY, `${USER}:${CANARY}`].map((text) => btoa(text))];

const DEADLINE_MS = 1500;
/** What a git that was told to end may take to do so. */
const GRACE_MS = 5000;

type Scene = Awaited<ReturnType<typeof hostileScene>>;

async function hostileScene() {
  const scene = await mirrorScene({ files: 200 });
  const { server, remote, mirrors, newCommit, set } = scene;
  server.tokens = new Set([CANARY]);
  const access = { tokens: staticToken({ username: USER, password: CANARY }) };
  const resolved = (await resolveRef(remote, "main", access)) as AdvertisedCommit;
  const haveMirror = async () => {
    await mirrors.fetch(remote, USUAL_REFS, access);
    await set("refs/heads/main", await newCommit("main", "newer"));
  };
  return { ...scene, access, resolved, haveMirror };
}

type Operation = (access: RemoteAccess) => Promise<unknown>;

const OPERATIONS: Record<string, (scene: Scene) => Promise<Operation>> = {
  "ls-remote": async ({ remote }) => {
    return (access) => resolveRef(remote, "main", access);
  },
  "first fetch": async ({ remote, mirrors }) => {
    return (access) => mirrors.fetch(remote, USUAL_REFS, access);
  },
  "later fetch": async ({ remote, mirrors, haveMirror }) => {
    await haveMirror();
    return (access) => mirrors.fetch(remote, USUAL_REFS, access);
  },
  "shallow fetch": async ({ remote, resolved, root }) => {
    const directory = join(root, "shallow");
    return (access) => fetchShallow(remote, resolved, { depth: 1, access, directory });
  },
};

const FAULTS: [what: string, Fault, GitErrorCode][] = [
  ["says nothing", { kind: "silence" }, "timeout"],
  ["stops after its first words", { kind: "stall" }, "timeout"],
  ["stops in the middle", { kind: "stall", after: 1 }, "timeout"],
  ["cuts at once", { kind: "cut", afterBytes: 0 }, "network"],
  ["cuts in a line", { kind: "cut", afterBytes: 10 }, "network"],
  ["cuts what it can do", { kind: "cut", afterBytes: 50 }, "network"],
  ["cuts later", { kind: "cut", afterBytes: 20, after: 1 }, "network"],
  ["answers 401", { kind: "status", status: 401 }, "auth"],
  ["answers 403", { kind: "status", status: 403 }, "auth"],
  ["answers 404", { kind: "status", status: 404 }, "not-found"],
  ["answers 500", { kind: "status", status: 500 }, "network"],
  ["answers 503 later", { kind: "status", status: 503, after: 1 }, "network"],
];

/** For what asks for refs first: its third request is the one for objects. */
const TRANSFER_FAULTS: typeof FAULTS = [
  ["stops before the objects", { kind: "stall", after: 2 }, "timeout"],
  ["cuts the objects", { kind: "cut", afterBytes: 100, after: 2 }, "network"],
  ["answers 500 to the question for objects", { kind: "status", status: 500, after: 2 }, "network"],
];

test.each(Object.keys(OPERATIONS))("%s, whatever the remote does", async (name) => {
  const scene = await hostileScene();
  const operation = await OPERATIONS[name]?.(scene);
  const before = traces(scene);
  const asksForRefs = name === "first fetch" || name === "later fetch";
  const faults = asksForRefs ? [...FAULTS, ...TRANSFER_FAULTS] : FAULTS;
  for (const [what, fault, code] of faults) {
    scene.server.fault = fault;
    const timeoutMs = code === "timeout" ? DEADLINE_MS : undefined;
    const error = await failureOf(operation?.({ ...scene.access, timeoutMs }), timeoutMs);
    expect(error, `a remote that ${what}`).toMatchObject({ name: "GitError", code });
    expectNoToken(scene, error);
    expect(traces(scene), `after a remote that ${what}`).toEqual(before);
  }
  scene.server.fault = undefined;
  await scene.mirrors.fetch(scene.remote, USUAL_REFS, scene.access);
  await expectSame(scene.origin, scene.gitDir);
});

test.each(Object.keys(OPERATIONS))("%s does not follow a redirect", async (name) => {
  const scene = await hostileScene();
  const elsewhere = await startGitServer(await scratchDirectory());
  const operation = await OPERATIONS[name]?.(scene);
  const before = traces(scene);
  scene.server.fault = { kind: "redirect", to: `http://${elsewhere.host}` };
  const error = await failureOf(operation?.(scene.access));
  expect(error).toMatchObject({ code: "rejected" });
  expect(String(error)).toContain("redirects to another address");
  expect(elsewhere.requests).toEqual([]);
  expectNoToken(scene, error);
  expect(traces(scene)).toEqual(before);
});

test("while a transfer runs, the token is in no arguments, environment or file", async () => {
  const scene = await hostileScene();
  const { server, mirrors, remote, gitDir, origin, access, data } = scene;
  for (const round of ["first", "later"]) {
    if (round === "later") await scene.haveMirror();
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    server.fault = { kind: "gate", opened, after: 2 };
    const seen = server.requests.length;
    const fetching = mirrors.fetch(remote, USUAL_REFS, access);
    const found: string[] = [];
    await waitUntil("the question for objects", () => {
      found.push(...findProcesses(FORMS)); // from the first moment on: the helper lives only shortly
      return server.requests.length >= seen + 4; // one more, without token, was answered 401
    });
    expect(findProcesses([remote.text])).not.toEqual([]);
    expect([...found, ...findProcesses(FORMS), ...filesWith(data)]).toEqual([]);
    open();
    await fetching;
    server.fault = undefined;
  }
  await expectSame(origin, gitDir);
  expect(await resolveRef(remote, "main", access)).toBeDefined();
  expectNoToken(scene, undefined);
});

test("20 callers in 2 processes, while a fetch takes its time: two fetches, and no lock is in the way", async () => {
  const { mirrors, locks, remote, server, data, gitDir, origin, set, newCommit, commands } =
    await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  await set("refs/heads/main", await newCommit("main", "one"));
  await set("refs/pull/1/head", await newCommit("main", "two"));
  const pull = await resolveRef(remote, "refs/pull/1/head");
  const main = await resolveRef(remote, "main");
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const before = commands();
  server.fault = { kind: "gate", opened, after: 2 };
  const first = mirrors.ensure(remote, main);
  await waitUntil("the transfer", () => commands() > before);
  const body = `const wanted = ${JSON.stringify([main, pull])};
    await Promise.all(Array.from({ length: 10 }, (_, n) => mirrors.ensure(remote, wanted[n % 2])));`;
  const other = mirrorProcess(data, remote, body);
  const others = Array.from({ length: 9 }, (_, number) =>
    mirrors.ensure(remote, number % 2 === 0 ? pull : main),
  );
  await waitUntil("all callers", () => wishCount(gitDir) === 20);
  // What others do with the repository meanwhile: short, and not in anybody's line.
  await locks.hold(gitDir, { purpose: "test", timeoutMs: 1000 }, async () => {});
  open();
  expect(await once(other, "exit")).toEqual([0, null]);
  expect(await Promise.all([first, ...others])).toHaveLength(10);
  await expectSame(origin, gitDir);
  expect(commands() - before).toBeLessThanOrEqual(2);
});

/** It fails, and not later than it may. */
async function failureOf(operation: Promise<unknown> | undefined, timeoutMs = 25_000) {
  let outcome: { readonly error: unknown } | undefined;
  operation?.then(
    (value) => {
      outcome = { error: `no error: ${inspect(value)}` };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  return (await waitUntil("the end", () => outcome, timeoutMs + GRACE_MS)).error;
}

/** What an operation that failed must not have changed. */
function traces({ directories, mirrors, remote, data, root }: Scene) {
  const gitDir = mirrors.pathOf(remote);
  const isThere = readdirSync(directories.mirrors).some((name) => gitDir.endsWith(`/${name}`));
  return {
    processes: findProcesses([remote.host, data]),
    root: readdirSync(root).sort(),
    staging: readdirSync(directories.staging),
    trash: readdirSync(directories.trash),
    wishes: wishCount(gitDir),
    mirror: isThere
      ? readdirSync(gitDir, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [],
  };
}

function expectNoToken({ root }: Scene, error: unknown): void {
  const told = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error);
  const { stack = "" } = (error ?? {}) as Error;
  expect(FORMS.filter((form) => (told + stack).includes(form))).toEqual([]);
  expect(filesWith(root)).toEqual([]);
  expect(findProcesses(FORMS)).toEqual([]);
}

function filesWith(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const text = statSync(path).size > 0 ? readFileSync(path, "latin1") : "";
      return FORMS.some((form) => text.includes(form));
    });
}
