// Pipelines that steps use: files beside the one that says so, or stored ones, read once when a run starts.
import { posix } from "node:path";
import { type Pipeline, parsePipelineBytes, problemText, type Step } from "@croft/pipeline";
import type { Database } from "../database/open-database.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { pipelineOf } from "./read-pipeline.ts";
import type { RunRow } from "./run-rows.ts";

const USED_MAX = 50;
const STORED = "stored:";

/** By this name a run keeps its text. */
export function usedName(step: Step, file: string | null): string | undefined {
  if (step.kind !== "uses") return undefined;
  if ("stored" in step.uses) return `${STORED}${step.uses.stored}`;
  const directory = file === null || file.startsWith(STORED) ? "." : posix.dirname(file);
  return posix.join(directory, step.uses.file);
}

/** Of all that are used, also by others that are used. */
export async function readUses(
  database: Database,
  run: RunRow,
  readFile: (path: string) => Promise<Buffer | undefined>,
): Promise<Record<string, string>> {
  const uses: Record<string, string> = {};
  const open: { readonly pipeline: Pipeline; readonly file: string | null }[] = [
    { pipeline: pipelineOf(run), file: run.file },
  ];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const step of next.pipeline.steps) {
      const name = usedName(step, next.file);
      if (name === undefined || Object.hasOwn(uses, name)) continue;
      if (Object.keys(uses).length === USED_MAX) {
        throw invalid("too-many-uses", `more than ${USED_MAX} pipelines are used`);
      }
      const bytes = name.startsWith(STORED)
        ? await readStored(database, run.owner, name.slice(STORED.length))
        : await readFile(name);
      if (bytes === undefined) {
        throw invalid("unknown-pipeline", `step '${step.id}' uses '${name}', which is not there`);
      }
      const { pipeline, problems } = parsePipelineBytes(bytes, { file: name });
      if (pipeline === undefined) {
        throw invalid("invalid-pipeline", problems.map((each) => problemText(each)).join("\n"));
      }
      uses[name] = bytes.toString("utf8");
      open.push({ pipeline, file: name });
    }
  }
  return uses;
}

async function readStored(
  { pool }: Database,
  owner: string,
  name: string,
): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ text: string }>(
    `select v.text from croft.pipeline p
     join croft.pipeline_version v on v.pipeline_id = p.id and v.version = p.version
     where p.owner = $1 and p.name = $2`,
    [owner, name],
  );
  return rows[0] === undefined ? undefined : Buffer.from(rows[0].text);
}

function invalid(code: string, message: string): JobFailure {
  return new JobFailure("invalid", code, message);
}
