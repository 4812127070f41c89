// What is done to an app as a whole: its endpoint tested, its sending paused and resumed, its properties changed.
import type { AppDetail } from "@croft/contract";
import { useMutation } from "@tanstack/react-query";
import { Pause, Pencil, Play, Radio } from "lucide-react";
import { useState } from "react";
import { body } from "../api.ts";
import { useChangeApp } from "../apps/use-change-app.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import {
  AppFields,
  type AppMistakes,
  appFields,
  appMistakes,
  readAppFields,
} from "./app-fields.tsx";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

export interface AppActionsProps {
  app: AppDetail;
  /** With the id of the delivery that tells what became of it. */
  onPinged: (deliveryId: string) => void;
}

export function AppActions({ app, onPinged }: AppActionsProps) {
  const [asked, setAsked] = useState<"edit" | "pause">();
  if (!useMayChange()) return null;
  const close = () => setAsked(undefined);
  return (
    <>
      {app.base_url !== null && <PingButton app={app} onPinged={onPinged} />}
      {app.paused ? (
        <ResumeButton app={app} label="Resume" />
      ) : (
        <Button onClick={() => setAsked("pause")}>
          <Pause className="size-4" aria-hidden />
          Pause
        </Button>
      )}
      <Button onClick={() => setAsked("edit")}>
        <Pencil className="size-4" aria-hidden />
        Edit
      </Button>
      {asked === "edit" && <EditDialog app={app} onClose={close} />}
      {asked === "pause" && <PauseDialog app={app} onClose={close} />}
    </>
  );
}

function PingButton({ app, onPinged }: AppActionsProps) {
  const api = useApi();
  const ping = useMutation({
    mutationFn: () => body(api.POST("/api/apps/{id}/ping", { params: { path: { id: app.id } } })),
    onSuccess: ({ delivery_id }) => onPinged(delivery_id),
  });
  return (
    <>
      <Button busy={ping.isPending} onClick={() => ping.mutate()}>
        {!ping.isPending && <Radio className="size-4" aria-hidden />}
        Test endpoint
      </Button>
      <div role="alert" className="order-last w-full empty:hidden">
        {ping.isError && <ProblemNotice error={ping.error} />}
      </div>
    </>
  );
}

/** Also takes up an address that had failed or was gone: what it did counts no more. */
export function ResumeButton({ app, label }: { app: AppDetail; label: string }) {
  const change = useChangeApp(app.id);
  return (
    <>
      <Button busy={change.isPending} onClick={() => change.mutate({ paused: false })}>
        {!change.isPending && <Play className="size-4" aria-hidden />}
        {label}
      </Button>
      <div role="alert" className="order-last w-full empty:hidden">
        {change.isError && <ProblemNotice error={change.error} />}
      </div>
    </>
  );
}

interface AppDialogProps {
  app: AppDetail;
  onClose: () => void;
}

function PauseDialog({ app, onClose }: AppDialogProps) {
  const change = useChangeApp(app.id, onClose);
  return (
    <ConfirmDialog
      title={`Pause ${app.name}?`}
      confirmLabel="Pause"
      look="primary"
      busy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ paused: true })}
      onClose={onClose}
    >
      Nothing is sent to it, and its repositories are not looked at for it. When it is resumed it is
      told what has changed meanwhile. Its token works as before.
    </ConfirmDialog>
  );
}

function EditDialog({ app, onClose }: AppDialogProps) {
  const [mistakes, setMistakes] = useState<AppMistakes>({});
  const change = useChangeApp(app.id, onClose);
  const submit = (values: FormData) => {
    const input = readAppFields(values);
    const found = appMistakes(input);
    setMistakes(found);
    change.reset();
    // Only what is another: a new address begins anew, the same one would not have to be looked up.
    const { base_url, ...rest } = input;
    const moved = base_url === app.base_url ? {} : { base_url };
    if (Object.keys(found).length === 0) change.mutate({ ...rest, ...moved });
  };
  return (
    <FormDialog
      title={`Edit ${app.name}`}
      submitLabel="Save"
      busy={change.isPending}
      error={change.error}
      fields={appFields}
      onSubmit={submit}
      onClose={onClose}
    >
      <AppFields app={app} mistakes={mistakes} error={change.error} />
    </FormDialog>
  );
}
