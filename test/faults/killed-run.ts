// The pipeline that is killed in all its phases: plan, matrix, merge, checks, artifacts, and a branch that is pushed.

export interface KilledRun {
  readonly name: string;
  readonly text: string;
  readonly branch: string;
  readonly isLocal: boolean;
}

/** `start` is the job by which a run gets going; the others are its steps. */
export const PHASES = ["start", "plan", "build", "notes", "merge", "verify", "push"] as const;
export type Phase = (typeof PHASES)[number];

/** Every third is on a checkout, in worktrees. */
export function killedRun(number: number): KilledRun {
  const name = `killed-${number}`;
  const branch = `made/by-${number}`;
  const isLocal = number % 3 === 1;
  const text = TEXT.replaceAll("<name>", name).replace("<branch>", branch);
  return { name, branch, isLocal, text: isLocal ? text.replace(", kind: clone", "") : text };
}

/** Nothing in it depends on the run, on time or on chance: every run must make the same. */
const TEXT = `
name: <name>
outputs: { items: "\${{ steps.plan.outputs.items }}" }
steps:
  plan:
    run: |
      echo '{"tasks":[{"id":"a","after":[]},{"id":"b","after":[]},{"id":"c","after":["a"]}]}' > tasks.json
      sleep 0.2
      echo items=3 >> "$CROFT_OUTPUT"
    outputs: [items]
    artifacts: { tasks: tasks.json }
    checks: [{ not-empty: tasks }, { of: tasks, json-schema: { type: object, required: [tasks] } }]
  build:
    needs: plan
    matrix:
      task: "\${{ fromJSON(artifacts.plan.tasks).tasks }}"
      id: "\${{ matrix.task.id }}"
      depends-on: "\${{ matrix.task.after }}"
    workspace: { branch: "task/<name>/\${{ matrix.task.id }}" }
    inject: { tasks: in/tasks.json }
    env: { ID: "\${{ matrix.task.id }}" }
    run: |
      test -s in/tasks.json && rm -r in
      mkdir made && echo "made for $ID" > "made/$ID.txt"
      git add -A && git -c user.name=t -c user.email=t@example.org commit -qm "made $ID"
      sleep 0.3
      test "$(ls made)" = "$ID.txt"
    artifacts: { made: "made/\${{ matrix.task.id }}.txt" }
    checks: [{ no-diff-outside: ["made/**"] }]
  notes:
    needs: plan
    workspace: { from: plan, kind: clone }
    run: |
      test -s tasks.json
      sleep 0.2
      echo "# Notes" > notes.md
      echo "all is well" >> "$CROFT_SUMMARY"
    artifacts: { notes: notes.md }
  merge: { needs: build, integrate: build }
  verify:
    needs: [merge, notes]
    workspace: { from: merge }
    inject: { notes.notes: notes.md, build.made: in }
    run: |
      for id in a b c; do test "$(cat made/$id.txt)" = "made for $id"; cat "in/$id"; done > report.txt
      rm -r in
      sleep 0.2
      git ls-files | sort >> report.txt
    artifacts: { report: report.txt }
    checks: [{ not-empty: report }, { command: "test -s notes.md" }, { tests-not-removed: true }]
  push: { needs: [merge, verify], publish: { from: merge, branch: "<branch>" } }
`;
