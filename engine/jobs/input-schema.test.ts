// An input is read by its schema: what is wrong is told by its path, and nobody waits for ever.
import { expect, test } from "vitest";
import { z } from "zod";
import { readInput } from "./input-schema.ts";

test("a check that asks elsewhere is waited for, but not for ever", async () => {
  const never = z.object({ a: z.string().refine(() => new Promise<boolean>(() => {})) });
  await expect(readInput(never, { a: "x" }, 20)).rejects.toMatchObject({ code: "unavailable" });
  const later = z.object({ a: z.string().refine(() => Promise.resolve(false), "is taken") });
  expect(await readInput(later, { a: "x" })).toMatchObject({
    fields: [{ path: "input.a", message: "is taken" }],
  });
});
