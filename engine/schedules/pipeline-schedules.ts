// The schedules that a stored pipeline asks for: they come, change and go with it.
import { parseRemoteUrl, RemoteUrlError } from "@croft/git";
import {
  ExpressionFailure,
  evaluateText,
  type Path,
  type Pipeline,
  type Problem,
  parsePipeline,
  readInputs,
} from "@croft/pipeline";
import type { Config } from "../config/config.ts";
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import { newId } from "../new-id.ts";
import { invalidPipeline } from "../runs/read-pipeline.ts";
import { addressRules } from "../secrets/credential-access.ts";
import { requireNextTime } from "./cron.ts";
import { tellRunners, timeOf } from "./schedule-clock.ts";

export interface ScheduledPipeline {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly schedule: Pipeline["on"]["schedule"];
}

/** In the transaction that stores it. One that stays as it was keeps its next time, and stays paused if it is. */
export async function writePipelineSchedules(
  client: Queryable,
  { id, owner, name, schedule }: ScheduledPipeline,
): Promise<void> {
  const now = await timeOf(client);
  const wanted = schedule.map(({ cron, timezone, overlap }) => ({
    ...{ id: newId(), cron, time_zone: timezone, overlap },
    next_at: requireNextTime({ cron, timeZone: timezone }, now).toISOString(),
  }));
  await client.query(
    `delete from croft.schedule s where pipeline_id = $1
       and not exists (select from jsonb_to_recordset($2) as x(cron text, time_zone text)
                       where x.cron = s.cron and x.time_zone = s.time_zone)`,
    [id, JSON.stringify(wanted)],
  );
  await client.query(
    `insert into croft.schedule (id, owner, name, pipeline_id, cron, time_zone, overlap, next_at)
     select distinct on (x.cron, x.time_zone) x.id, $2, $3, $1, x.cron, x.time_zone, x.overlap, x.next_at
     from jsonb_to_recordset($4) as x(id uuid, cron text, time_zone text, overlap text, next_at timestamptz)
     on conflict (pipeline_id, cron, time_zone) where pipeline_id is not null
       do update set overlap = excluded.overlap, last_error = null`,
    [id, owner, name, JSON.stringify(wanted)],
  );
  await tellRunners(client);
}

/** What would keep every run of it from starting is told when it is stored, at its place in the file. */
export function requireSchedulable(
  config: Config,
  { owner, name, text }: { readonly owner: string; readonly name: string; readonly text: string },
): void {
  const { pipeline, locate } = parsePipeline(text, { file: name });
  if (pipeline === undefined || pipeline.on.schedule.length === 0) return;
  const problems: Problem[] = [];
  const tell = (path: Path, message: string) =>
    problems.push({ ...locate(path), file: name, path: path.join("."), message });
  for (const [input, { required }] of Object.entries(pipeline.inputs)) {
    if (!required) continue;
    tell(["inputs", input, "required"], `no schedule can give input '${input}': a default can`);
  }
  for (const [index, { cron, timezone }] of pipeline.on.schedule.entries()) {
    const fault = timeFault(cron, timezone);
    if (fault !== undefined) tell(["on", "schedule", index], fault);
  }
  const fault = repositoryFault(config, owner, pipeline);
  if (fault !== undefined) tell(["repository"], fault);
  if (problems.length > 0) throw invalidPipeline(problems);
}

function timeFault(cron: string, timeZone: string): string | undefined {
  try {
    requireNextTime({ cron, timeZone }, new Date());
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error.message.replace(/^not valid: /, "");
    throw error;
  }
}

function repositoryFault(config: Config, owner: string, pipeline: Pipeline): string | undefined {
  const { inputs } = readInputs(pipeline, {});
  try {
    const url = evaluateText(pipeline.repository?.url ?? "", { inputs, event: {} });
    parseRemoteUrl(url, addressRules(config, owner));
    return undefined;
  } catch (error) {
    if (error instanceof RemoteUrlError || error instanceof ExpressionFailure) return error.message;
    throw error;
  }
}
