// Pipelines that steps use: files beside the one that says so, or stored ones, read once when a run starts.
import { posix } from "node:path";
import {
  checkUse,
  findCycle,
  type ParsedPipeline,
  type Problem,
  parsePipeline,
  parsePipelineBytes,
  problemText,
  type Step,
} from "@croft/pipeline";
import type { Database } from "../database/open-database.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { RunRow } from "./run-rows.ts";

const USED_MAX = 50;
/** Pipelines that use each other, one below the other. */
export const USES_DEPTH_MAX = 10;
export const TOO_DEEP = `pipelines use each other more than ${USES_DEPTH_MAX} deep`;
const STORED = "stored:";

/** By this name a run keeps its text. */
export function usedName(step: Step, file: string | null): string | undefined {
  if (step.kind !== "uses") return undefined;
  if ("stored" in step.uses) return `${STORED}${step.uses.stored}`;
  const directory = file === null || file.startsWith(STORED) ? "." : posix.dirname(file);
  return posix.join(directory, step.uses.file);
}

interface Known {
  readonly file: string | null;
  readonly parsed: ParsedPipeline;
  /** Step → the name of what it uses. */
  readonly uses: Map<string, string>;
}

/** Of all that are used, also by others that are used. What could not run is refused here, before anything does. */
export async function readUses(
  database: Database,
  run: RunRow,
  readFile: (path: string) => Promise<Buffer | undefined>,
): Promise<Record<string, string>> {
  const { file, text } = run;
  const root = {
    file,
    parsed: parsePipeline(text, file === null ? {} : { file }),
    uses: new Map(),
  };
  const texts: Record<string, string> = {};
  const known = new Map<string, Known>();
  const open: Known[] = [root];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const step of next.parsed.pipeline?.steps ?? []) {
      const name = usedName(step, next.file);
      if (name === undefined) continue;
      next.uses.set(step.id, name);
      if (known.has(name)) continue;
      if (known.size === USED_MAX) {
        throw invalid("too-many-uses", `more than ${USED_MAX} pipelines are used`);
      }
      const bytes = name.startsWith(STORED)
        ? await readStored(database, run.owner, name.slice(STORED.length))
        : await readFile(name);
      if (bytes === undefined) {
        throw invalid("unknown-pipeline", `step '${step.id}' uses '${name}', which is not there`);
      }
      const parsed = parsePipelineBytes(bytes, { file: name });
      if (parsed.pipeline === undefined) throw invalidPipeline(parsed.problems);
      texts[name] = bytes.toString("utf8");
      const read = { file: name, parsed, uses: new Map<string, string>() };
      known.set(name, read);
      open.push(read);
    }
  }
  checkUses(root, known);
  return texts;
}

function checkUses(root: Known, known: ReadonlyMap<string, Known>): void {
  const cycle = findCycle(
    new Map([...known].map(([name, { uses }]) => [name, [...uses.values()]])),
  );
  if (cycle !== undefined) {
    throw invalid("invalid-pipeline", `pipelines use each other in a circle: ${cycle.join(" → ")}`);
  }
  if (depthBelow(root, known) > USES_DEPTH_MAX) throw invalid("invalid-pipeline", TOO_DEEP);
  const problems = [root, ...known.values()].flatMap(({ file, parsed, uses }) =>
    [...uses].flatMap(([stepId, name]) => {
      const child = known.get(name)?.parsed.pipeline;
      if (child === undefined) return [];
      const use = { parent: parsed, stepId, child };
      return checkUse(file === null ? use : { ...use, file }).problems;
    }),
  );
  if (problems.length > 0) throw invalidPipeline(problems);
}

/** How many stand above each other, without the first; there is no circle. */
function depthBelow(root: Known, known: ReadonlyMap<string, Known>): number {
  const depths = new Map<Known, number>();
  const find = (one: Known): number => {
    const found = depths.get(one);
    if (found !== undefined) return found;
    const below = [...one.uses.values()].flatMap((name) => known.get(name) ?? []);
    const depth = Math.max(0, ...below.map((each) => find(each) + 1));
    depths.set(one, depth);
    return depth;
  };
  return find(root);
}

async function readStored(
  { pool }: Database,
  owner: string,
  name: string,
): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ text: string }>(
    `select v.text from croft.pipeline p
     join croft.pipeline_version v on v.pipeline_id = p.id and v.version = p.version
     where p.name = $2 and (p.owner = $1 or p.owner = 'local' and $1 like 'installation:%')
     order by p.owner <> $1 limit 1`, // events of GitHub start pipelines of the admins', which use others of theirs
    [owner, name],
  );
  return rows[0] === undefined ? undefined : Buffer.from(rows[0].text);
}

function invalid(code: string, message: string): JobFailure {
  return new JobFailure("invalid", code, message);
}

function invalidPipeline(problems: readonly Problem[]): JobFailure {
  return invalid("invalid-pipeline", problems.map((each) => problemText(each)).join("\n"));
}
