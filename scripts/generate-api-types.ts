// Writes contract/api-types.ts from the OpenAPI document of the real server.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiTypes } from "./api-types.ts";
import { projectRoot } from "./source-files.ts";

writeFileSync(join(projectRoot, "contract/api-types.ts"), await apiTypes());
