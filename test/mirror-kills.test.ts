// The mirror is killed over and over while messages come four at once, in a bad order and more than once.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Tree } from "./support/import-commits.ts";
import { bundleMirror, type MirrorProcess, startMirror } from "./support/mirror-process.ts";
import { changesBetween, folderOf, type ToldChange } from "./support/mirrored-trees.ts";
import { randomTrees } from "./support/random-trees.ts";
import { differences, readCheckout } from "./support/read-checkout.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { type SeededRandom, seededRandom } from "./support/seeded-random.ts";
import {
  chunksOf,
  filesChanged,
  keptFile,
  type SentMessage,
  send,
  WATCH_ID,
} from "./support/signed-messages.ts";

const KILLS = 15;
const SYNCS = 60;
const AT_ONCE = 4;
const FILES_A_MESSAGE = 4;
const CHUNK_BYTES = 6000;
/** Begins anew: what was told before is not taken back. */
const RESET_AT = 25;

interface Delivery {
  readonly paths: readonly string[];
  readonly message: SentMessage;
  readonly chunks: readonly SentMessage[];
}

test("after 15 SIGKILLs the folder equals the last tree", { timeout: 180_000 }, async () => {
  const scratch = await scratchDirectory();
  const program = await bundleMirror(scratch);
  const folder = join(scratch, "mirror");
  const random = seededRandom(1);
  const trees = withLargeFiles(randomTrees(random, SYNCS), random);
  const deliveries = trees.flatMap((tree, sync) => deliveriesOf(trees, tree, sync));
  let mirror: Promise<MirrorProcess> = startMirror(program, folder);
  let kills = 0;
  const killNow = async () => {
    const running = await mirror;
    mirror = running.kill().then(() => startMirror(program, folder));
    kills++;
    await mirror;
  };
  const killEvery = Math.floor(deliveries.length / KILLS);
  let begun = 0;

  /** Until it is accepted; now and then the answer is lost. */
  const deliver = async (delivery: Delivery): Promise<boolean> => {
    const { url } = await mirror;
    try {
      for (let index = 0; index <= delivery.chunks.length; ) {
        const { status, resumeFrom, body } = await send(
          url,
          delivery.chunks[index] ?? delivery.message,
        );
        if (status === 409) index = Number(resumeFrom);
        else if (status === 200) index++;
        else throw new Error(`answered ${status}: ${body}`);
      }
    } catch (error) {
      if (error instanceof TypeError) return false; // fetch failed: it was killed
      throw error;
    }
    return random.below(8) !== 0;
  };

  const open = [...deliveries];
  const onTheirWay = new Set<Delivery>();
  const running = new Set<Promise<void>>();
  while (open.length > 0) {
    const next = onTheirWay.size < AT_ONCE ? pickReady(open, onTheirWay, random) : undefined;
    if (next === undefined) {
      await Promise.race(running);
      continue;
    }
    onTheirWay.add(next);
    const sent: Promise<void> = deliver(next).then((isSettled) => {
      onTheirWay.delete(next);
      running.delete(sent);
      if (isSettled) open.splice(open.indexOf(next), 1);
    });
    running.add(sent);
    if (++begun % killEvery === 0 && kills < KILLS) await killNow();
  }
  expect(kills).toBe(KILLS);
  const last = trees.at(-1) ?? new Map();
  expect(differences(folderOf(last), readCheckout(join(folder, WATCH_ID)))).toEqual([]);
  expect(readdirSync(join(folder, ".croft/transfers"))).toEqual([]);
  await (await mirror).kill();
});

test("killed in the middle of a message it leaves whole files only, and the repetition brings the rest", async () => {
  const scratch = await scratchDirectory();
  const program = await bundleMirror(scratch);
  const folder = join(scratch, "mirror");
  const root = join(folder, WATCH_ID);
  let middles = 0;
  for (let round = 1; middles < 3; round++) {
    const content = Buffer.alloc(9_000, `round ${round} `);
    const paths = Array.from({ length: 100 }, (_, number) => `round-${round}/file-${number}`);
    const files = paths.map((path) => keptFile(path, content, "100755"));
    const message = filesChanged({ sync: round, files });
    const whole = folderOf(new Map(paths.map((path) => [path, { mode: "100755", content }])));
    const mirror = await startMirror(program, folder);
    const sent = send(mirror.url, message).catch(() => undefined);
    while (!existsSync(join(root, paths[0] ?? ""))) await new Promise(setImmediate); // at once: there is little time
    await mirror.kill();
    await sent;
    const left = [...readCheckout(root)].filter(([path]) => path.startsWith(`round-${round}`));
    for (const [path, found] of left) expect(found).toBe(whole.get(path));
    if (left.length < whole.size) middles++;
    const next = await startMirror(program, folder);
    expect((await send(next.url, message)).status).toBe(200);
    await next.kill();
    const all = [...readCheckout(root)].filter(([path]) => path.startsWith(`round-${round}`));
    expect(differences(whole, new Map(all))).toEqual([]);
    expect(readdirSync(join(folder, ".croft/scratch"))).toEqual([]);
  }
});

/** Any, as long as none before it that is open has one of its paths: no more is promised. */
function pickReady(open: readonly Delivery[], onTheirWay: Set<Delivery>, random: SeededRandom) {
  const taken = new Set<string>();
  const ready = open.slice(0, 60).filter((delivery) => {
    const isFree = !delivery.paths.some((path) => taken.has(path));
    for (const path of delivery.paths) taken.add(path);
    return isFree && !onTheirWay.has(delivery);
  });
  return ready[random.below(ready.length)];
}

function deliveriesOf(trees: readonly Tree[], tree: Tree, sync: number): Delivery[] {
  const reset = sync === RESET_AT;
  const changes = changesBetween(reset ? new Map() : (trees[sync - 1] ?? new Map()), tree);
  const groups: ToldChange[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    const isFull = last === undefined || last.length >= FILES_A_MESSAGE;
    if (isFull || change.large !== undefined || last[0]?.large !== undefined) groups.push([change]);
    else last.push(change);
  }
  return groups.map((group) => ({
    paths: group.map(({ path }) => path),
    message: filesChanged({ sync, reset, files: group.map(({ file }) => file) }),
    chunks: group.flatMap(({ path, large }) =>
      large === undefined ? [] : chunksOf(path, large, { chunkBytes: CHUNK_BYTES }),
    ),
  }));
}

function withLargeFiles(trees: readonly Tree[], random: SeededRandom): Tree[] {
  let content = Buffer.alloc(0);
  return trees.map((tree) => {
    if (content.length === 0 || random.below(4) === 0) {
      content = Buffer.alloc(4000 + random.below(30_000), random.below(256));
    }
    return new Map([...tree, ["large/file", { mode: "100644", content }]]);
  });
}
