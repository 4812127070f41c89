// Many runs with many items at once from several worker processes on one repository: no git error, nobody sees another's files.
import { mostAtOnce } from "../support/most-at-once.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { judgeHost } from "./judge-host.ts";
import { RunHost } from "./run-host.ts";

const SLOTS = 8;
const REPOSITORY = { files: 100, commits: 3, odd: true };
/** The first wave; of the second there are `count`. */
const FIRST_RUNS = 10;
const ITEMS = 4;
/** What needs root is left out without it. */
const USUAL_KIND = process.getuid?.() === 0 ? "overlay" : "clone";
const END_CEILING_MS = 600_000;

export interface RunStormOptions extends FaultOptions {
  readonly workers: number;
}

export async function stormWithRuns(options: RunStormOptions): Promise<FaultResult> {
  const { count, seed, directory, workers } = options;
  const repository = { ...REPOSITORY, seed };
  const host = await RunHost.open(directory, { workers, slots: SLOTS, repository });
  const failures: string[] = [];
  const figures: Record<string, number> = {};
  try {
    for (const [wave, runs, items] of [
      ["first", FIRST_RUNS, 1],
      ["second", count, ITEMS],
    ] as const) {
      const numbers = Array.from({ length: runs }, (_, number) => number);
      const ids = await Promise.all(
        numbers.map((number) => host.start(stormRun(`${wave}-${number}`, items))),
      );
      await host.untilNone("croft.run where finished_at is null", END_CEILING_MS);
      failures.push(...(await judgeRuns(host, ids, items)));
      figures[`${wave}_runs_at_once`] = await mostAtOnce(host.pool, ids);
      figures[`${wave}_runs`] = runs;
    }
    failures.push(...complaintsOf(host), ...(await judgeHost(host)));
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
    failures.push(...(await host.stop()));
  }
  return { injected: FIRST_RUNS + count, figures, failures };
}

/** Items of either kind; each looks for marks of others when it begins and when it ends. */
function stormRun(name: string, items: number) {
  const list = Array.from({ length: items }, (_, number) => number).join(", ");
  const text = `
name: ${name}
steps:
  first: ${markStep("first", list, USUAL_KIND)}
  other: ${markStep("other", list, "clone")}
  merge: { needs: [first, other], integrate: [first, other] }
  look:
    needs: merge
    workspace: { from: merge }
    run: |
      test "$(ls mark-* | wc -l)" -eq ${2 * items}
      test "$(ls mark-* | grep -c "^mark-$CROFT_RUN_ID-")" -eq ${2 * items}
`;
  return { name, text };
}

function markStep(name: string, list: string, kind: string): string {
  return `
    matrix: { n: [${list}] }
    workspace: { kind: ${kind}, branch: "storm/\${{ run.id }}/${name}-\${{ matrix.n }}" }
    run: |
      test -z "$(git status --porcelain)"
      test "$(ls -d mark-* 2>/dev/null | wc -l)" -eq 0
      mark="mark-$CROFT_RUN_ID-${name}-$CROFT_ITEM"
      echo "$mark" > "$mark"
      sleep 0.5
      git add -A
      git -c user.name=t -c user.email=t@example.org commit -qm "$mark"
      test "$(git status --porcelain | wc -l)" -eq 0
      test "$(ls -d mark-*)" = "$mark"`;
}

async function judgeRuns(host: RunHost, ids: readonly string[], items: number): Promise<string[]> {
  const { rows: bad } = await host.pool.query<{ told: string }>(
    `select format('run %s is %s: %s', id, status, error) as told from croft.run where id = any ($1) and status <> 'done'
     union all
     select format('job %s of %s (%s): %s attempts, %s failures, %s losses', id, run_id, step, attempt, failures, losses)
       from croft.job where run_id = any ($1) and (attempt <> 1 or failures <> 0 or losses <> 0)
     union all
     select format('log of %s: %s', job_id, text) from croft.job_log
       where job_id in (select id from croft.job where run_id = any ($1)) and text ~* '(fatal|error|warning):'`,
    [ids],
  );
  const { rows: places } = await host.pool.query<{ workspaces: number; different: number }>(
    `select count(*)::integer as workspaces, count(distinct report ->> 'workspace')::integer as different
     from croft.run_step where run_id = any ($1) and report ? 'workspace'`,
    [ids],
  );
  const { workspaces = 0, different = 0 } = places[0] ?? {};
  const wanted = ids.length * (2 * items + 1);
  return [
    ...bad.map(({ told }) => told),
    ...(workspaces === wanted ? [] : [`${workspaces} workspaces instead of ${wanted}`]),
    ...(different === workspaces ? [] : [`${workspaces - different} workspaces had one place`]),
  ];
}

/** What the processes themselves found worth a warning. */
function complaintsOf({ server, workers }: RunHost): string[] {
  return [server, ...workers].flatMap(({ output }) =>
    output()
      .split("\n")
      .filter((line) => /"level":(?:"(?:warn|error|fatal)"|[456]0)/.test(line)),
  );
}
