// The workspaces of a run's steps: which are still there, and which were cleared away.
import type { RunDetail, RunWorkspace } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { FolderGit2 } from "lucide-react";
import { runWorkspacesQuery } from "../runs/run-query.ts";
import { useApi } from "../use-api.ts";
import { CopyButton } from "./copy-button.tsx";
import { Panel } from "./panel.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { StepLink } from "./step-link.tsx";

const faces: Record<RunWorkspace["state"], { words: string; look: string }> = {
  "in-use": { words: "In use", look: "bg-run-soft text-run" },
  removing: { words: "Being removed", look: "bg-run-soft text-run" },
  left: { words: "Left behind", look: "bg-warn-soft text-warn" },
  removed: { words: "Removed", look: "bg-sunken text-ink-soft" },
};

/** Of a run that went well only what is still there is of interest. */
export function RunWorkspaces({ run }: { run: RunDetail }) {
  const ended = run.steps.filter(({ finished_at }) => finished_at !== null).length;
  const state = `${run.attempt} ${run.status} ${ended}`;
  const { data, error } = useQuery(runWorkspacesQuery(useApi(), run.id, state));
  const all = data?.workspaces ?? [];
  const shown = run.status === "done" ? all.filter(({ removed_at }) => removed_at === null) : all;
  if (shown.length === 0 && error === null) return null;
  return (
    <Panel title="Workspaces" icon={FolderGit2} aside={countWords(shown)}>
      {error !== null && (
        <div role="alert">
          <ProblemNotice error={error} />
        </div>
      )}
      {shown.length > 0 && (
        <ul
          aria-label="Workspaces of the run"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          className="-my-2 max-h-80 divide-y divide-line overflow-y-auto text-sm"
        >
          {shown.map((workspace) => (
            <WorkspaceRow key={workspace.id} runId={run.id} workspace={workspace} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function WorkspaceRow({ runId, workspace }: { runId: string; workspace: RunWorkspace }) {
  const { words, look } = faces[workspace.state];
  const { step, item, kind, path, attempt, removed_at } = workspace;
  return (
    <li className="grid grid-cols-[8.5rem_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 py-2 max-sm:grid-cols-[minmax(0,1fr)_auto]">
      <span
        className={`inline-flex h-6 w-fit items-center rounded-md px-2 font-medium text-xs ${look}`}
      >
        {words}
      </span>
      <div className="min-w-0 max-sm:order-last max-sm:col-span-2">
        <p className="flex flex-wrap gap-x-2">
          <StepLink
            runId={runId}
            step={step}
            item={item}
            className="break-all font-medium hover:underline"
          >
            {item === null ? step : `${step} / ${item}`}
          </StepLink>
          <span className="text-ink-soft">
            {kind}
            {attempt > 1 && `, attempt ${attempt}`}
          </span>
        </p>
        <p className="flex items-center gap-1 text-ink-soft">
          <span className="break-all font-mono text-xs">{path}</span>
          {removed_at === null && <CopyButton label="Copy the path" text={() => path} />}
        </p>
        {workspace.state === "left" && (
          <p className="text-ink-soft text-xs">
            Its attempt is over. The next sweep of its host takes it away, within a minute.
          </p>
        )}
      </div>
      <span className="whitespace-nowrap text-ink-soft text-xs">
        <RelativeTime time={removed_at ?? workspace.created_at} isPast />
      </span>
    </li>
  );
}

function countWords(workspaces: readonly RunWorkspace[]): string {
  const count = workspaces.length;
  const there = workspaces.filter(({ removed_at }) => removed_at === null);
  if (there.length === 0) return count === 1 ? "removed" : `all ${count} removed`;
  const isUsed = there.every(({ state }) => state === "in-use");
  return isUsed ? `${there.length} in use` : `${there.length} of ${count} still there`;
}
