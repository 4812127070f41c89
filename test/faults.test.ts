// The fault tests in their short form: few faults, fixed seed. `npm run test:faults -- <name>` runs the full one.
import { expect, test } from "vitest";
import { killDuringStartAndWork } from "./faults/start.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";

test("a server killed during start and work starts again with every acknowledged row", async () => {
  const directory = await scratchDirectory();
  const result = await killDuringStartAndWork({ seed: 20_261_115, count: 6, directory });
  expect(result.failures).toEqual([]);
  expect(result.injected).toBe(6);
  expect(result.figures).toMatchObject({ first_starts: 2, starts: 2, works: 2 });
  expect(result.figures["acknowledged"]).toBeGreaterThan(2);
});
