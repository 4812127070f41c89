// One process owns a data directory, until it lets go or dies, however it dies.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { openDataDirectory } from "./data-directory.ts";
import { ownDataDirectory } from "./own-data-directory.ts";

/** Another process that owns the directory until it is killed. */
async function ownElsewhere(path: string): Promise<ChildProcess> {
  const urlOf = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)));
  const script = `import { openDataDirectory } from ${urlOf("data-directory.ts")};
    import { ownDataDirectory } from ${urlOf("own-data-directory.ts")};
    globalThis.kept = await ownDataDirectory(await openDataDirectory(process.argv[1]));
    setInterval(() => {}, 1000);
    process.stdout.write("owned");`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, path];
  const child = spawn(process.execPath, args, { cwd: join(import.meta.dirname, "../..") });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

test("a second owner in the same process is refused and told the first one's pid", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  const ownership = await ownDataDirectory(directory);
  await expect(ownDataDirectory(directory)).rejects.toMatchObject({
    code: "data-directory-in-use",
    message: expect.stringContaining(
      `(pid ${process.pid}) uses data directory '${directory.path}'`,
    ),
    details: { pid: process.pid },
  });
  await ownership.release();
});

test("a refused attempt does not loosen the owner's hold", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  const ownership = await ownDataDirectory(directory);
  await expect(ownDataDirectory(directory)).rejects.toThrow();
  await expect(ownDataDirectory(directory)).rejects.toThrow();
  await ownership.release();
});

test("of many at the same moment one becomes the owner", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  const attempts = await Promise.allSettled(
    Array.from({ length: 10 }, () => ownDataDirectory(directory)),
  );
  const owners = attempts.flatMap((attempt) =>
    attempt.status === "fulfilled" ? [attempt.value] : [],
  );
  expect(owners).toHaveLength(1);
  await owners[0]?.release();
});

test("what was let go can be owned again", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  for (let round = 0; round < 3; round++) await (await ownDataDirectory(directory)).release();
});

test("an owner in another process is named, and its SIGKILL frees the directory", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  const owner = await ownElsewhere(directory.path);
  await expect(ownDataDirectory(directory)).rejects.toMatchObject({ details: { pid: owner.pid } });

  owner.kill("SIGKILL");
  await once(owner, "exit");
  const ownership = await ownDataDirectory(directory);
  await expect(ownDataDirectory(directory)).rejects.toMatchObject({
    details: { pid: process.pid },
  });
  await ownership.release();
});
