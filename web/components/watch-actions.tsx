// What is done to a watch: every file sent again, its properties changed, its end.
import type { Watch } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Pencil, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { body } from "../api.ts";
import { appsKey } from "../apps/app-query.ts";
import { deliveriesKey } from "../deliveries/delivery-query.ts";
import { formatCount } from "../format-count.ts";
import { watchesKey, watchQuery } from "../repositories/watch-query.ts";
import { repositoryName } from "../repository-name.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { EditWatchDialog } from "./watch-dialog.tsx";

export interface WatchActionsProps {
  watch: Watch;
  appName: string;
}

export function WatchActions({ watch, appName }: WatchActionsProps) {
  const [asked, setAsked] = useState<"resync" | "edit" | "remove">();
  if (!useMayChange()) return null;
  const close = () => setAsked(undefined);
  return (
    <>
      <Button onClick={() => setAsked("resync")}>
        <RefreshCw className="size-4" aria-hidden />
        Re-sync
      </Button>
      <Button onClick={() => setAsked("edit")}>
        <Pencil className="size-4" aria-hidden />
        Edit
      </Button>
      <Button onClick={() => setAsked("remove")}>
        <Trash2 className="size-4" aria-hidden />
        Remove
      </Button>
      {asked === "resync" && <Resync watch={watch} appName={appName} onClose={close} />}
      {asked === "edit" && <EditWatchDialog watch={watch} onClose={close} />}
      {asked === "remove" && <Remove watch={watch} appName={appName} onClose={close} />}
    </>
  );
}

interface DialogProps extends WatchActionsProps {
  onClose: () => void;
}

function Resync({ watch, appName, onClose }: DialogProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const params = { path: { id: watch.id } };
  const resync = useMutation({
    mutationFn: () => body(api.POST("/api/repositories/{id}/resync", { params })),
    onSuccess: (changed) => {
      queryClient.setQueryData(watchQuery(api, watch.id).queryKey, changed);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title="Send every file again?"
      confirmLabel="Re-sync"
      look="primary"
      busy={resync.isPending}
      error={resync.error}
      onConfirm={() => resync.mutate()}
      onClose={onClose}
    >
      {appName} gets every file of the watched commit once more, as if it were new. For an app that
      has lost something, or that missed what was given up.
    </ConfirmDialog>
  );
}

function Remove({ watch, appName, onClose }: DialogProps) {
  const api = useApi();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.DELETE("/api/repositories/{id}", { params: { path: { id: watch.id } } }),
    onSuccess: async () => {
      await navigate({ to: "/repositories", search: {} });
      for (const queryKey of [watchesKey, deliveriesKey, appsKey]) {
        await queryClient.invalidateQueries({ queryKey });
      }
    },
  });
  const { undelivered } = watch;
  const unsent =
    undelivered === 0
      ? ""
      : ` ${formatCount(undelivered)} ${undelivered === 1 ? "delivery that is" : "deliveries that are"} still to be accepted will not be sent.`;
  return (
    <ConfirmDialog
      title={`Stop watching ${repositoryName(watch.url)}?`}
      confirmLabel="Remove the watch"
      dismissLabel="Keep it"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {appName} hears nothing of it any more, and the history of its deliveries goes.{unsent} The
      app keeps what it has: it is told of no deletions. Other apps that watch the repository are
      not touched; if nobody does, Croft's copy of it goes too.
    </ConfirmDialog>
  );
}
