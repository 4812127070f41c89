// Directories out of a job's directory as one archive, and into another one, whatever the job has put there.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { assetScene } from "../../test/support/asset-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { DIRECTORY_MEDIA_TYPE, packDirectory } from "./pack-directory.ts";
import { openAsset } from "./read-assets.ts";
import { recordAsset, storeDirectory, storeStream } from "./store-asset.ts";
import { unpackDirectory } from "./unpack-directory.ts";

const isRoot = process.getuid?.() === 0;
const JOB = isRoot ? { uid: 65_533, gid: 65_533 } : undefined;

async function scene() {
  const base = await scratchDirectory();
  const [directory, target, outside] = ["job", "next", "outside"].map((name) =>
    join(base, name),
  ) as [string, string, string];
  for (const path of [directory, target, outside]) mkdirSync(path);
  writeFileSync(join(outside, "secret"), "hunter2");
  const { assets, staged, files } = await assetScene();
  const own = (path: string) => {
    if (JOB !== undefined) execFileSync("chown", ["-Rh", `${JOB.uid}:${JOB.gid}`, path]);
  };
  own(directory);
  const write = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  const take = async (path: string, maxBytes = 10_000_000) => {
    own(directory);
    return await storeDirectory(assets, { directory, path, user: JOB }, { maxBytes });
  };
  const record = async (file: Awaited<ReturnType<typeof take>>) => {
    const about = { owner: "local", kind: "artifact" as const, name: "d" };
    const mediaType = DIRECTORY_MEDIA_TYPE;
    return await recordAsset(assets.database.pool, file, { ...about, mediaType });
  };
  const give = async (file: Awaited<ReturnType<typeof take>>, path: string) => {
    const asset = await record(file);
    await unpackDirectory(assets, asset, { directory: target, path, user: JOB });
    return join(target, path);
  };
  return {
    base,
    directory,
    target,
    outside,
    assets,
    staged,
    files,
    own,
    write,
    take,
    give,
    record,
  };
}

/** Everything below it: names, kinds, contents, whether they can be run. */
function seen(path: string, above = ""): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name of readdirSync(path).sort()) {
    const [at, key] = [join(path, name), above + name];
    const found = lstatSync(at);
    if (found.isSymbolicLink()) all[key] = `-> ${readlinkSync(at)}`;
    else if (found.isDirectory()) Object.assign(all, { [`${key}/`]: "" }, seen(at, `${key}/`));
    else all[key] = `${(found.mode & 0o100) === 0 ? "" : "x:"}${readFileSync(at, "base64")}`;
  }
  return all;
}

test("a directory comes back as it was: empty ones, links, long and odd names", async () => {
  const { directory, write, take, give, target } = await scene();
  write("site/index.html", "<p>");
  write("site/bin/run.sh", "#!/bin/sh\n");
  chmodSync(join(directory, "site/bin/run.sh"), 0o750);
  write(`site/${"long/".repeat(30)}${"n".repeat(200)}`, "deep");
  write("site/ü\n-'\" .txt", "odd");
  write("site/block", Buffer.alloc(512, 1));
  write("site/big", randomBytes(700_001));
  mkdirSync(join(directory, "site/empty/inner"), { recursive: true });
  symlinkSync("index.html", join(directory, "site/here"));
  symlinkSync(`../${"x".repeat(300)}`, join(directory, "site/far"));
  const placed = await give(await take("site"), "in/site");
  expect(seen(placed)).toEqual(seen(join(directory, "site")));
  if (JOB !== undefined) expect(lstatSync(join(placed, "bin/run.sh")).uid).toBe(JOB.uid);
  expect(readdirSync(join(target, "in"))).toEqual(["site"]);
});

test("the same contents are the same bytes, whenever and by whom they were made", async () => {
  const { write, take } = await scene();
  for (const name of ["one", "two"]) {
    for (const file of name === "one" ? ["b", "a", "c/d"] : ["c/d", "a", "b"])
      write(`${name}/${file}`, file);
  }
  const [one, two] = [await take("one"), await take("two")];
  expect(two.sha256).toBe(one.sha256);
});

test("others can read it: tar lists and unpacks it", async () => {
  const { assets, base, directory, write, take, record } = await scene();
  write("d/a.txt", "a");
  write(`d/${"x".repeat(150)}`, "long");
  symlinkSync("a.txt", join(directory, "d/l"));
  const opened = await openAsset(assets, await record(await take("d")));
  writeFileSync(join(base, "d.tar"), await buffer(opened.stream()));
  mkdirSync(join(base, "untarred"));
  execFileSync("tar", ["-xf", join(base, "d.tar"), "-C", join(base, "untarred")]);
  expect(seen(join(base, "untarred"))).toEqual(seen(join(directory, "d")));
});

test("links are kept and never followed, in both directions", async () => {
  const { directory, outside, write, take, give, target } = await scene();
  write("d/a", "a");
  symlinkSync(outside, join(directory, "d/out"));
  symlinkSync("/etc/passwd", join(directory, "d/passwd"));
  symlinkSync("../../../..", join(directory, "d/up"));
  symlinkSync(outside, join(directory, "linked"));
  const stored = await take("d");
  await expect(take("linked")).rejects.toMatchObject({ code: "unsafe-path" });
  await expect(take("d/out")).rejects.toMatchObject({ code: "unsafe-path" });
  symlinkSync(outside, join(target, "way"));
  await expect(give(stored, "way/in")).rejects.toMatchObject({ code: "unsafe-path" });
  symlinkSync(outside, join(target, "name"));
  const placed = await give(stored, "name"); // the link itself is replaced
  expect(seen(placed)).toMatchObject({ out: `-> ${outside}`, passwd: "-> /etc/passwd" });
  expect(readdirSync(outside)).toEqual(["secret"]);
});

test("what bears the name already is replaced, a directory too", async () => {
  const { take, give, write, target } = await scene();
  write("d/new", "new");
  mkdirSync(join(target, "d/old"), { recursive: true });
  const stored = await take("d");
  expect(seen(await give(stored, "d"))).toEqual({ new: Buffer.from("new").toString("base64") });
  writeFileSync(join(target, "f"), "a file");
  expect(Object.keys(seen(await give(stored, "f")))).toEqual(["new"]);
  expect(readdirSync(target).sort()).toEqual(["d", "f"]);
});

test("pipes, sockets and devices are refused by name, and hold nobody", async () => {
  const { directory, write, take } = await scene();
  write("pipe/a", "a");
  execFileSync("mkfifo", [join(directory, "pipe/p")]);
  await expect(take("pipe")).rejects.toThrow(/pipe\/p' is a pipe, socket or device/);
  mkdirSync(join(directory, "s"));
  const server = createServer().listen(join(directory, "s/x"));
  onTestFinished(() => void server.close());
  await expect(take("s")).rejects.toMatchObject({ code: "not-a-file" });
  if (!isRoot) return;
  mkdirSync(join(directory, "dev"));
  execFileSync("mknod", [join(directory, "dev/zero"), "c", "1", "5"]);
  await expect(take("dev")).rejects.toMatchObject({ code: "not-a-file" });
});

test.runIf(isRoot)("a file that the job could not read itself is refused", async () => {
  const { directory, assets, outside } = await scene();
  mkdirSync(join(directory, "d"));
  execFileSync("cp", [join(outside, "secret"), join(directory, "d/secret")]);
  chmodSync(join(directory, "d/secret"), 0o600);
  chownSync(join(directory, "d/secret"), 0, 0);
  const taking = storeDirectory(assets, { directory, path: "d", user: JOB });
  await expect(taking).rejects.toMatchObject({ code: "unsafe-path" });
});

test("too large, too many, too deep: refused, and nothing is left", async () => {
  const { directory, assets, own, write, take, staged, files } = await scene();
  write("big/a", Buffer.alloc(3000));
  await expect(take("big", 2048)).rejects.toMatchObject({ code: "too-large" });
  mkdirSync(join(directory, `deep${"/d".repeat(70)}`), { recursive: true });
  await expect(take("deep")).rejects.toMatchObject({ code: "too-large" });
  mkdirSync(join(directory, "many"));
  const script = 'cd "$1/many" && seq 100001 | xargs touch';
  execFileSync("sh", ["-c", script, "sh", directory]);
  own(join(directory, "many"));
  await expect(storeDirectory(assets, { directory, path: "many", user: JOB })).rejects.toThrow(
    /more than 100000 entries/,
  );
  expect([...staged(), ...files()]).toEqual([]);
}, 60_000);

test("a name that is not UTF-8 is told, not mangled", async () => {
  const { directory, take } = await scene();
  mkdirSync(join(directory, "d"));
  writeFileSync(Buffer.concat([Buffer.from(join(directory, "d/")), Buffer.of(0xff, 0x61)]), "x");
  await expect(take("d")).rejects.toThrow(/not UTF-8/);
});

test("an archive that is not ours to the last byte puts nothing in place", async () => {
  const { assets, directory, write, record, target } = await scene();
  write("d/a", "a");
  const good = await buffer(packDirectory({ directory, path: "d", user: undefined }));
  const evil = (name: string) => {
    const made = Buffer.from(good);
    made.fill(0, 0, 100).write(name, 0, "latin1");
    made.write("        ", 148, "latin1");
    const sum = made.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    made.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    return made;
  };
  const archives = [
    ...["../x", "/tmp/x", "a/../../x", "", "."].map(evil),
    good.subarray(0, 700),
    Buffer.from(good).fill(7, 0, 20),
    randomBytes(2048),
  ];
  for (const bytes of archives) {
    const stored = await storeStream(
      assets,
      (async function* () {
        yield bytes;
      })(),
    );
    const asset = await record(stored);
    const unpacking = unpackDirectory(assets, asset, { directory: target, path: "d", user: JOB });
    await expect(unpacking).rejects.toThrow();
    expect(readdirSync(target)).toEqual([]);
  }
  expect(existsSync(join(target, "../x"))).toBe(false);
});

test("any tree of files comes back", async () => {
  const { directory, assets, own, record, target } = await scene();
  const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
  const usable = name.filter((text) => !/[/\0\ufffd]/.test(text) && ![".", ".."].includes(text));
  let nth = 0;
  const file = fc.tuple(
    fc.array(usable, { minLength: 1, maxLength: 4 }),
    fc.uint8Array({ maxLength: 1500 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 8 }), async (files) => {
      const path = `t${nth++}`;
      mkdirSync(join(directory, path));
      for (const [parts, contents] of files) {
        const at = join(directory, path, ...parts);
        try {
          mkdirSync(dirname(at), { recursive: true });
          writeFileSync(at, contents);
        } catch (error) {
          if (!/EISDIR|ENOTDIR|EEXIST|ENAMETOOLONG/.test(String(error))) throw error; // another took the name
        }
      }
      own(directory);
      const asset = await record(await storeDirectory(assets, { directory, path, user: JOB }));
      await unpackDirectory(assets, asset, { directory: target, path, user: JOB });
      expect(seen(join(target, path))).toEqual(seen(join(directory, path)));
    }),
    { numRuns: 60 },
  );
  expect(statSync(target).isDirectory()).toBe(true);
}, 60_000);
