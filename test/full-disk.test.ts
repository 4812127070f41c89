// Everything on one small disk: files end before it is full, so that the database lives, and what is deleted makes room again.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { statfsSync } from "node:fs";
import { join } from "node:path";
import type { Asset, Job, Problem } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "./support/croft-process.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { mountSmallDisk } from "./support/small-disk.ts";
import { waitUntil } from "./support/wait-until.ts";

const isRoot = process.getuid?.() === 0;
const DISK_MIB = 200;
const RESERVE_BYTES = 32 * 1024 ** 2;
const REFUSED = expect.stringMatching(/^the disk is full but for \d+ bytes that are kept free/);
/** A sweep comes every minute. */
const SWEPT_WITHIN_MS = 150_000;

async function scene() {
  const root = await scratchDirectory();
  const disk = mountSmallDisk(join(root, "disk"), { sizeMiB: DISK_MIB });
  execFileSync("chmod", ["755", root, disk.path]); // PostgreSQL runs as another user
  const server = await startServer(join(disk.path, "data"), { cwd: root });
  onTestFinished(async () => void (await server.stop()));
  const headers = { authorization: `Bearer ${server.token}` };
  const ask = async <T>(method: string, path: string, rest: RequestInit = {}) => {
    const answer = await fetch(`${server.url}${path}`, { method, headers, ...rest });
    const text = await answer.text();
    return { status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as T & Problem };
  };
  return {
    ask,
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(disk.path);
      return bavail * bsize;
    },
    upload: (bytes: number) =>
      ask<Asset>("POST", "/api/assets?name=a", { body: randomBytes(bytes) }),
    submit: () =>
      ask<Job>("POST", "/api/jobs", {
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          type: "diagram",
          input: { language: "graphviz", source: `digraph { a -> b }${" ".repeat(20_000)}` },
        }),
      }),
  };
}

test.skipIf(!isRoot)(
  "uploads are refused before the disk is full; jobs are taken, assets deleted, and uploads taken again",
  async () => {
    const { ask, upload, submit, freeBytes } = await scene();
    expect((await ask("GET", "/readyz")).body).toMatchObject({ disk: "ok" });
    const kept: string[] = [];
    const uploadAll = async (size: number, atOnce: number) => {
      for (let isRefused = false; !isRefused; ) {
        const said = await Promise.all(Array.from({ length: atOnce }, () => upload(size)));
        for (const { status, body } of said) {
          if (status === 201) kept.push(body.id);
          else expect(body).toMatchObject({ code: "disk-full", detail: REFUSED });
        }
        isRefused = said.some(({ status }) => status === 507);
      }
    };
    await uploadAll(9_000_000, 4); // none may take what another was promised
    for (const size of [1_000_000, 100_000, 1000]) await uploadAll(size, 1); // also the last gap
    expect(kept.length).toBeGreaterThan(5);
    expect(freeBytes()).toBeGreaterThan(RESERVE_BYTES / 2);
    expect((await ask("GET", "/readyz")).body).toMatchObject({ status: "ready", disk: "full" });

    const jobs = await Promise.all(Array.from({ length: 40 }, submit));
    expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set([202]));
    for (const id of kept) {
      expect((await ask("DELETE", `/api/assets/${id}`)).status).toBe(204);
    }
    await waitUntil(
      "an upload to be taken again",
      async () => (await upload(1_000_000)).status === 201,
      SWEPT_WITHIN_MS,
    );
    expect((await ask("GET", "/readyz")).body).toMatchObject({ disk: "ok" });
  },
  240_000,
);
