import { isSetupNeeded } from "@croft/engine";
import { expect, test } from "vitest";
import { scratchEngine } from "./support/scratch-engine.ts";

test("engine opens", async () => {
  const engine = await scratchEngine();
  expect(await isSetupNeeded(engine.database)).toBe(true);
});
