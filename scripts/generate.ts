// `npm run generate`: writes what is made from the code: the API's types, the schema of pipelines and the table of settings.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiTypes } from "./api-types.ts";
import { configurationTable } from "./configuration-table.ts";
import { pipelineSchema } from "./pipeline-schema.ts";
import { projectRoot } from "./source-files.ts";

writeFileSync(join(projectRoot, "contract/api-types.ts"), await apiTypes());
writeFileSync(join(projectRoot, "docs/pipeline.schema.json"), pipelineSchema());

const configurationPath = join(projectRoot, "docs/configuration.md");
const page = readFileSync(configurationPath, "utf8");
const table = /\| setting \|[\s\S]*?(?=\n\n|\n*$)/;
writeFileSync(configurationPath, page.replace(table, configurationTable));
