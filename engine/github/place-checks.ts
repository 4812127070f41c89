// Writes down which check at GitHub each run is, before any is made: those of one commit and name are made in their order.
import type { RunRow } from "../runs/run-rows.ts";
import { checkPlace } from "./check-place.ts";
import type { CheckParts } from "./tell-check.ts";

/** A run brings its whole event with it. */
const PLACED_AT_ONCE = 10;
const BATCHES_MAX = 20;

/** The oldest first, so that whoever has a place knows all that come before it. */
export async function placeChecks(parts: CheckParts): Promise<void> {
  for (let nth = 0; nth < BATCHES_MAX; nth++) {
    const { rows } = await parts.database.pool.query<RunRow>(
      `select r.* from croft.github_check k join croft.run r on r.id = k.run_id
       where k.is_open and k.place is null and croft.is_check_late(r) is not true
       order by k.opened_at, k.run_id limit $1`,
      [PLACED_AT_ONCE],
    );
    for (const run of rows) await placeCheck(parts, run);
    if (rows.length < PLACED_AT_ONCE) return;
  }
}

/** Several may do so at once: they come to the same. One whose run has gone on meanwhile is looked at again. */
async function placeCheck(parts: CheckParts, run: RunRow): Promise<void> {
  const { place, commit } = placeOf(parts, run);
  await parts.database.pool.query(
    `update croft.github_check k set place = $2, commit = $3 from croft.run r
     where k.run_id = $1 and k.place is null and r.id = k.run_id
       and r.commit is not distinct from $4 and r.attempt = $5`,
    [run.id, place, commit, run.commit, run.attempt],
  );
}

const NOWHERE = { place: "", commit: null };

function placeOf(parts: CheckParts, run: RunRow) {
  try {
    const { repository, headSha, name } = checkPlace(parts, run) ?? {};
    if (repository === undefined || headSha === undefined) return NOWHERE;
    return { place: `${repository.toLowerCase()} ${headSha} ${name}`, commit: headSha };
  } catch {
    return NOWHERE; // whoever tells it comes upon the same, and says so
  }
}
