// Steps that wait in their workspaces until the test lets them go on, so that it decides what happens at the same time.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { SharedRuns } from "./shared-runs.ts";
import { waitUntil } from "./wait-until.ts";

/** For a script: waits for its file to vanish. */
export const HOLD = "touch hold; echo up; while test -e hold; do sleep 0.05; done";

interface Place {
  readonly id: string;
  readonly path: string;
}

/** When so many steps of these runs wait; where they do. */
export async function heldSteps(
  { query }: Pick<SharedRuns, "query">,
  runIds: readonly string[],
  count: number,
): Promise<readonly Place[]> {
  const look = async () => {
    const places = await query<Place>(
      `select w.id, w.entry ->> 'path' as path from croft.workspace w join croft.job j on j.id = (w.entry ->> 'jobId')::uuid
       where j.run_id = any ($1) and (w.entry ->> 'attempt')::integer = j.attempt
         and exists (select from croft.job_log l where l.job_id = j.id and l.attempt = j.attempt and l.text like '%up' || chr(10) || '%')`,
      [runIds],
    );
    return places.length >= count && places;
  };
  return await waitUntil(`${count} steps to wait`, look);
}

export async function letGo(places: readonly Place[]): Promise<void> {
  await Promise.all(places.map(({ path }) => rm(join(path, "hold"))));
}
