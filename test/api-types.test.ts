// The committed types of the API are those of the server as it is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiTypes } from "../scripts/api-types.ts";
import { projectRoot } from "../scripts/source-files.ts";

test("contract/api-types.ts is current (npm run generate)", async () => {
  const committed = readFileSync(join(projectRoot, "contract/api-types.ts"), "utf8");
  expect(committed).toBe(await apiTypes());
});
