// The log of the embedded PostgreSQL fits into what files leave free.
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { mountSmallDisk } from "../../test/support/small-disk.ts";
import { serverParameters } from "./server-parameters.ts";

test.runIf(process.getuid?.() === 0).each([
  [100, { max_wal_size: "32MB", min_wal_size: "32MB" }],
  [2000, { max_wal_size: "100MB", min_wal_size: "80MB" }],
  [40_000, { max_wal_size: "1024MB", min_wal_size: "80MB" }],
])("on a disk of %d MiB", async (sizeMiB, expected) => {
  const { path } = mountSmallDisk(join(await scratchDirectory(), "disk"), { sizeMiB });
  expect(serverParameters(path, "/socket")).toMatchObject(expected);
});
