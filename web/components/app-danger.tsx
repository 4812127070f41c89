// The end of an app: says what goes with it, and asks for its name.
import type { AppDeletion, AppDetail } from "@croft/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { appsKey, deletionQuery } from "../apps/app-query.ts";
import { deliveriesKey } from "../deliveries/delivery-query.ts";
import { formatBytes } from "../format-bytes.ts";
import { formatCount } from "../format-count.ts";
import { watchesKey } from "../repositories/watch-query.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { Field } from "./field.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { Skeleton } from "./skeleton.tsx";

export function AppDanger({ app }: { app: AppDetail }) {
  const [isAsking, setIsAsking] = useState(false);
  if (!useMayChange()) return null;
  return (
    <section
      aria-label="Danger zone"
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-lg border border-bad-line bg-surface p-4 shadow-card"
    >
      <div className="min-w-0 flex-1 basis-64">
        <h2 className="font-medium text-sm">Delete this app</h2>
        <p className="text-ink-soft text-sm">
          Its token is refused at once, and what is its own goes. Repositories that others watch
          stay.
        </p>
      </div>
      <Button look="danger" onClick={() => setIsAsking(true)}>
        <Trash2 className="size-4" aria-hidden />
        Delete the app
      </Button>
      {isAsking && <DeleteDialog app={app} onClose={() => setIsAsking(false)} />}
    </section>
  );
}

function DeleteDialog({ app, onClose }: { app: AppDetail; onClose: () => void }) {
  const api = useApi();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const preview = useQuery(deletionQuery(api, app.id));
  const [typed, setTyped] = useState("");
  const [isRefused, setIsRefused] = useState(false);
  const remove = useMutation({
    mutationFn: () => api.DELETE("/admin/api/apps/{id}", { params: { path: { id: app.id } } }),
    onSuccess: async () => {
      await navigate({ to: "/apps", search: {} });
      for (const queryKey of [appsKey, watchesKey, deliveriesKey]) {
        await queryClient.invalidateQueries({ queryKey });
      }
    },
  });
  const isNamed = typed.trim() === app.name;
  return (
    <ConfirmDialog
      title={`Delete ${app.name}?`}
      confirmLabel="Delete for good"
      dismissLabel="Keep it"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => (isNamed ? remove.mutate() : setIsRefused(true))}
      onClose={onClose}
    >
      <div className="space-y-4">
        {preview.error !== null && <ProblemNotice error={preview.error} />}
        {preview.data === undefined ? (
          preview.error === null && <Skeleton className="h-24 w-full" />
        ) : (
          <Goes deletion={preview.data} />
        )}
        <Field
          label={`Type ${app.name} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={isRefused && !isNamed ? "This is not the name of the app." : undefined}
        />
      </div>
    </ConfirmDialog>
  );
}

function Goes({ deletion }: { deletion: AppDeletion }) {
  const parts = partsOf(deletion);
  const shared = deletion.watches > 0 && deletion.repositories < deletion.watches;
  return (
    <div>
      <p>
        {parts.length === 0
          ? "It has nothing of its own but its keys. They go, and this cannot be undone."
          : "This goes with it, and cannot be undone:"}
      </p>
      <ul aria-label="What goes" className="mt-2 list-disc space-y-0.5 pl-5 text-ink text-sm">
        {parts.map((part) => (
          <li key={part}>{part}</li>
        ))}
      </ul>
      {shared && (
        <p className="mt-2 text-sm">Repositories that other apps watch as well stay as they are.</p>
      )}
    </div>
  );
}

/** Only what there is. */
function partsOf(deletion: AppDeletion): string[] {
  const count = (many: number, one: string, more: string) =>
    many === 0 ? [] : [`${formatCount(many)} ${many === 1 ? one : more}`];
  const { undelivered, deliveries, open_jobs, open_runs, assets } = deletion;
  return [
    ...count(deletion.watches, "watch", "watches"),
    ...count(deletion.repositories, "repository", "repositories").map(
      (words) => `${words} that nobody else watches, with the local copy`,
    ),
    ...count(deliveries, "delivery", "deliveries").map((words) =>
      undelivered === 0 ? words : `${words}, ${formatCount(undelivered)} of them not accepted yet`,
    ),
    ...count(deletion.credentials, "credential", "credentials"),
    ...count(deletion.secrets, "secret", "secrets"),
    ...count(deletion.schedules, "schedule", "schedules"),
    ...count(deletion.pipelines, "stored pipeline", "stored pipelines"),
    ...count(open_jobs, "job that is cancelled", "jobs that are cancelled"),
    ...count(open_runs, "run that is cancelled", "runs that are cancelled"),
    ...count(deletion.ended_jobs, "job that has ended", "jobs that have ended"),
    ...count(deletion.ended_runs, "run that has ended", "runs that have ended"),
    ...count(assets, "file", "files").map(
      (words) => `${words}, ${formatBytes(deletion.asset_bytes)}`,
    ),
  ];
}
