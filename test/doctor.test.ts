// `croft doctor` as a process: says what this machine allows, in words and as JSON, and leaves it as it was.
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Check, Diagnosis } from "@croft/engine";
import { isProbeName } from "@croft/git";
import { describe, expect, test } from "vitest";
import { mountsBelow } from "../git/disk/mount-overlay.ts";
import { both, onMachine, withoutProgram, withProgram } from "./support/changed-machine.ts";
import { type RunOptions, runCroft, startServer } from "./support/croft-process.ts";
import { asOrdinaryUser, ORDINARY_UID } from "./support/ordinary-user.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { waitUntil } from "./support/wait-until.ts";

const isRoot = process.getuid?.() === 0;
const NAMES = [
  ...["data-directory", "disk", "git-version", "git-profile", "lock"],
  ...["overlay", "sandbox", "job-user", "database"],
];

interface Answer {
  readonly exit: number | string;
  readonly ok: boolean;
  /** `"ok: the detail"`, by name. */
  readonly said: Record<string, string>;
  readonly advice: Record<string, string | undefined>;
}

async function doctor(data: string, options: RunOptions = {}): Promise<Answer> {
  const run = runCroft(["doctor", "--json", "--data", data], options);
  const exit = await run.exit;
  expect(run.output()).toBe(run.stdout());
  const { ok, checks }: Diagnosis = JSON.parse(run.stdout());
  expect(checks.map(({ name }) => name)).toEqual(NAMES);
  expect(ok).toBe(checks.every(({ outcome }) => outcome !== "failed"));
  expect(exit).toBe(ok ? 0 : 1);
  const by = <T>(what: (check: Check) => T) =>
    Object.fromEntries(checks.map((check) => [check.name, what(check)]));
  return {
    ...{ exit, ok, advice: by(({ advice }) => advice) },
    said: by(({ outcome, detail }) => `${outcome}: ${detail}`),
  };
}

describe.runIf(isRoot)("as root", () => {
  test("everything is proven where the data directory will be, which is not made", async () => {
    const parent = await scratchDirectory();
    const { said, ok } = await doctor(join(parent, "not/there"));
    expect(ok).toBe(true);
    expect(said).toMatchObject({
      "data-directory": expect.stringMatching(/^ok: .*is not there yet.*/),
      "git-version": expect.stringMatching(/^(ok|warning): 2\./),
      "git-profile": expect.stringMatching(/^ok: without effect: hooks in files, /),
      lock: expect.stringMatching(/^ok: /),
      overlay: expect.stringMatching(/^ok: /),
      sandbox: expect.stringMatching(/^ok: /),
      "job-user": "ok: jobs run as user 65533, each in its sandbox",
      database: "ok: embedded PostgreSQL: the first 'croft serve' makes it",
    });
    expect(said["data-directory"]).toContain(parent);
    expect(readdirSync(parent)).toEqual([]);
  });

  test("without the right to mount it says why there is no overlay", async () => {
    const parent = await scratchDirectory();
    const wrapper = ["setpriv", "--bounding-set", "-sys_admin"];
    const { said, advice, ok } = await doctor(join(parent, "data"), { wrapper });
    expect(ok).toBe(true);
    expect(said["overlay"]).toBe("warning: not possible: root may not mount here");
    expect(advice["overlay"]).toMatch(/CAP_SYS_ADMIN.*workspaces are clones instead/);
    expect(said["sandbox"]).toMatch(/^ok/);
    expect(readdirSync(parent)).toEqual([]);
  });

  test("on a data directory in memory that is said", async () => {
    const parent = await scratchDirectory();
    const tmpfs = onMachine(`mount -t tmpfs tmpfs '${parent}'`);
    const { said, ok } = await doctor(join(parent, "data"), tmpfs);
    expect(ok).toBe(true);
    expect(said["disk"]).toMatch(/^warning: .*memory \(tmpfs\)/);
    expect(said["overlay"]).toMatch(/^ok/);
  });

  test("a data directory on an overlay, as in a container, has no overlay workspaces", async () => {
    const parent = await scratchDirectory();
    for (const name of ["lower", "upper", "work", "layer"]) mkdirSync(join(parent, name));
    const layers = ["lower", "upper", "work"].map((name) => `${name}dir=${join(parent, name)}`);
    const target = join(parent, "layer");
    const container = onMachine(`mount -t overlay overlay -o '${layers}' '${target}'`);
    const { said, advice, ok } = await doctor(join(target, "data"), container);
    expect(ok).toBe(true);
    expect(said["overlay"]).toContain("lies on an overlay itself");
    expect(advice["overlay"]).toContain("put CROFT_DATA on a volume");
  });

  test.each([
    ["read-only", "mount -t tmpfs -o ro tmpfs", /^failed: .*is read-only$/],
    ["full", "mount -t tmpfs -o size=4k,nr_inodes=1 tmpfs", /^ok/],
  ])("on a %s disk nothing is tried, and it fails", async (what, mount, directory) => {
    const parent = await scratchDirectory();
    const { said, ok } = await doctor(join(parent, "data"), onMachine(`${mount} '${parent}'`));
    expect(ok).toBe(false);
    expect(said["data-directory"]).toMatch(directory);
    if (what === "full") expect(said["disk"]).toMatch(/^failed/);
    for (const name of ["git-profile", "lock", "overlay", "sandbox", "job-user"]) {
      expect(said[name]).toMatch(/^warning: not tried: /);
    }
  });

  test("a directory that others may not pass is told, because PostgreSQL and jobs are others", async () => {
    const parent = await scratchDirectory();
    chmodSync(parent, 0o700);
    const { said, advice, ok } = await doctor(join(parent, "data"));
    expect(ok).toBe(false);
    expect(said["data-directory"]).toMatch(/^failed: .*is closed to them$/);
    expect(advice["data-directory"]).toContain(`chmod o+x ${parent}`);
    expect(said["lock"]).toMatch(/^ok/);
  });

  test("another user's data directory is judged with that reservation", async () => {
    const data = join(await scratchDirectory(), "data");
    mkdirSync(join(data, "locks"), { recursive: true }); // by it Croft knows its own
    chownSync(data, ORDINARY_UID, ORDINARY_UID);
    const { said, ok } = await doctor(data);
    expect(ok).toBe(true);
    expect(said["data-directory"]).toMatch(`belongs to user ${ORDINARY_UID}`);
    expect(readdirSync(data)).toEqual(["locks"]);
  });
});

describe.runIf(isRoot)("on a machine that lacks something", () => {
  test("without bubblewrap jobs are said to share a user, as root and as an ordinary user", async () => {
    const data = join(await scratchDirectory(), "data");
    const machine = withoutProgram("bwrap", await scratchDirectory());
    const { said, advice, ok } = await doctor(data, machine);
    expect(ok).toBe(true);
    expect(said["sandbox"]).toBe("warning: not possible: bubblewrap (bwrap) is not installed");
    expect(advice["sandbox"]).toContain("jobs share a user");
    expect(said["job-user"]).toBe(
      "warning: all jobs run as user 65533 and can reach each other's files",
    );
    const ordinary = await doctor(data, both(machine, asOrdinaryUser(data)));
    expect(ordinary.said["job-user"]).toBe(
      "warning: all jobs run as the user of Croft itself and can reach each other's files and all of Croft's",
    );
  });

  test("a bubblewrap that does not work is quoted", async () => {
    const script = `[ "$1" = --version ] && exec "$REAL" "$@"
      echo 'bwrap: No permissions to create new namespace' >&2; exit 1`;
    const machine = withProgram("bwrap", script, await scratchDirectory());
    const { said } = await doctor(join(await scratchDirectory(), "data"), machine);
    expect(said["sandbox"]).toMatch(/^warning: not possible: .*No permissions to create new/);
  });

  test("without git it fails", async () => {
    const machine = withoutProgram("git", await scratchDirectory());
    const { said, advice, ok } = await doctor(join(await scratchDirectory(), "data"), machine);
    expect(ok).toBe(false);
    expect(said["git-version"]).toMatch(/^failed: git is not installed/);
    expect(advice["git-version"]).toMatch(/^install git 2\./);
    expect(said["git-profile"]).toMatch(/^failed: could not be proven/);
    expect(said["lock"]).toMatch(/^ok/);
  });

  test("with a git that is too old it fails", async () => {
    const script = `[ "$1" = version ] && echo 'git version 2.30.2' && exit
      exec "$REAL" "$@"`;
    const machine = withProgram("git", script, await scratchDirectory());
    const { said, ok } = await doctor(join(await scratchDirectory(), "data"), machine);
    expect(ok).toBe(false);
    expect(said["git-version"]).toBe("failed: '2.30.2' is not 2.33 or newer, which Croft needs");
  });

  test("with a git that does not heed the profile it fails", async () => {
    const script = `unset GIT_CONFIG_COUNT
      exec "$REAL" -c user.name=x -c user.email=x@example.org "$@"`;
    const machine = withProgram("git", script, await scratchDirectory());
    const { said, ok } = await doctor(join(await scratchDirectory(), "data"), machine);
    expect(ok).toBe(false);
    expect(said["git-profile"]).toMatch(/^failed: not switched off: hooks in files, /);
  });
});

test("as an ordinary user jobs run as that user, in clones and in the sandbox", async () => {
  const home = join(await scratchDirectory(), "home");
  mkdirSync(home);
  const { said, ok } = await doctor(join(home, "data"), asOrdinaryUser(home));
  expect(ok).toBe(true);
  expect(said).toMatchObject({
    lock: expect.stringMatching(/^ok/),
    overlay: "warning: not possible: this user may not mount",
    sandbox: expect.stringMatching(/^ok/),
    "job-user": "ok: jobs run as the user of Croft itself, each in its sandbox",
  });
  expect(readdirSync(home)).toEqual([]);
});

test.runIf(isRoot)("an ordinary user is told what it may not write", async () => {
  const parent = await scratchDirectory();
  const options = asOrdinaryUser(join(parent, "unused"));
  const { said, advice, ok } = await doctor(join(parent, "data"), options);
  expect(ok).toBe(false);
  expect(said["data-directory"]).toMatch(
    `cannot be used: user ${ORDINARY_UID} may not read and write '${parent}'`,
  );
  expect(advice["data-directory"]).toMatch(/^give that user the right, or choose another/);
});

test("a directory of somebody else's is refused, and nothing is written to it", async () => {
  const data = await scratchDirectory();
  writeFileSync(join(data, "theirs"), "");
  const before = statSync(data).mtimeMs;
  const { said, ok } = await doctor(data);
  expect(ok).toBe(false);
  expect(said["data-directory"]).toMatch(/^failed: .*it has files that are not Croft's$/);
  expect(statSync(data).mtimeMs).toBe(before);
});

test("a killed one does not keep a server from starting, and the next one removes what it left", async () => {
  const data = await scratchDirectory();
  const killed = runCroft(["doctor", "--data", data]);
  await waitUntil("its directory", () => readdirSync(data).length > 0);
  killed.child.kill("SIGKILL");
  await killed.exit;
  expect(readdirSync(data)).toEqual([expect.stringMatching(/^croft-probe\./)]);
  const server = await startServer(data);
  const running = await doctor(data);
  await server.stop();
  const stopped = await doctor(data);
  expect(running.said["database"]).toContain(`'croft serve' runs with it at ${server.url}`);
  expect(stopped.said["database"]).toBe(
    "ok: embedded PostgreSQL: it is stopped; 'croft serve' starts it",
  );
  expect(stopped.said["data-directory"]).toBe(`ok: '${data}'`);
  expect(readdirSync(data).filter(isProbeName)).toEqual([]);
  expect(mountsBelow(data)).toEqual([]);
});

test("asked to end it tidies up first", async () => {
  const data = await scratchDirectory();
  const stopped = runCroft(["doctor", "--data", data]);
  await waitUntil("its directory", () => readdirSync(data).length > 0);
  stopped.child.kill("SIGTERM");
  expect(await stopped.exit).toBe(1);
  expect(stopped.stdout()).toBe("");
  expect(readdirSync(data)).toEqual([]);
});

test("in words it has a line a check, the advice below, and colours only where they are wanted", async () => {
  const data = await scratchDirectory();
  writeFileSync(join(data, "theirs"), "");
  const plain = runCroft(["doctor", "--data", data]);
  expect(await plain.exit).toBe(1);
  expect(plain.stdout()).toMatch(
    /^✗ data directory {2}'.*' cannot be used: .*\n {18}→ choose another/,
  );
  expect(plain.stdout()).toMatch(/^! lock {12}not tried: nothing can be written there$/m);
  expect(plain.stdout().match(/^[✓!✗] /gm)).toHaveLength(NAMES.length);
  const coloured = runCroft(["doctor", "--data", data], {
    env: { NO_COLOR: "", FORCE_COLOR: "1" },
  });
  await coloured.exit;
  expect(coloured.stdout()).toContain("\u001b[31m✗\u001b[39m");
});

test.each([[["--nope"]], [["extra"]]])("%s is no way to call it", async (args) => {
  const run = runCroft(["doctor", ...args]);
  expect(await run.exit).toBe(2);
  expect(run.stdout()).toBe("");
});
