// Cancels a run that has not ended, or goes on with one that has, from its failures or from one step. All ask first.
import type { RunDetail } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Ban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { body } from "../api.ts";
import { runKey, runsKey } from "../runs/run-query.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

export function RunActions({ run }: { run: RunDetail }) {
  const [isAsking, setIsAsking] = useState(false);
  if (!useMayChange()) return null;
  const close = () => setIsAsking(false);
  if (run.finished_at === null) {
    return (
      <>
        <Button busy={run.cancel_requested} onClick={() => setIsAsking(true)}>
          {!run.cancel_requested && <Ban className="size-4" aria-hidden />}
          {run.cancel_requested ? "Cancelling" : "Cancel"}
        </Button>
        {isAsking && <Cancel run={run} onClose={close} />}
      </>
    );
  }
  // Nothing of it is left to be done; and a run inside of another goes on with that one.
  const isAllDone = run.status === "done" && run.steps.every(({ status }) => status !== "failed");
  if (isAllDone || run.parent_id !== null) return null;
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>
        <RotateCcw className="size-4" aria-hidden />
        Retry
      </Button>
      {isAsking && <Retry run={run} onClose={close} />}
    </>
  );
}

export interface RetryFromStepProps {
  run: RunDetail;
  step: string;
  /** One item is looked at: it must be said that all are meant. */
  isItem: boolean;
}

/** Only of a run that has ended. */
export function RetryFromStep({ run, step, isItem }: RetryFromStepProps) {
  const [isAsking, setIsAsking] = useState(false);
  const mayChange = useMayChange();
  if (!mayChange || run.finished_at === null || run.parent_id !== null) return null;
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>
        <RotateCcw className="size-4" aria-hidden />
        {isItem ? `Retry from ${step}, all items` : "Retry from this step"}
      </Button>
      {isAsking && <Retry run={run} from={step} onClose={() => setIsAsking(false)} />}
    </>
  );
}

/** Takes over what an action on a run answers: the run as it is now. */
export function useRunChange<T>(
  id: string,
  act: (input: T) => Promise<RunDetail>,
  onDone: () => void,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async (changed) => {
      // An answer that is older than this one must not come after it.
      await queryClient.cancelQueries({ queryKey: runKey(id) });
      queryClient.setQueryData(runKey(id), changed);
      await queryClient.invalidateQueries({ queryKey: runsKey, refetchType: "none" });
      onDone();
    },
    // It may have changed meanwhile: then the page shows that.
    onError: () => queryClient.invalidateQueries({ queryKey: runKey(id) }),
  });
}

interface ActionProps {
  run: RunDetail;
  onClose: () => void;
}

function Cancel({ run, onClose }: ActionProps) {
  const api = useApi();
  const params = { path: { id: run.id } };
  const cancel = useRunChange<void>(
    run.id,
    () => body(api.POST("/api/runs/{id}/cancel", { params })),
    onClose,
  );
  return (
    <ConfirmDialog
      title="Cancel this run?"
      confirmLabel="Cancel the run"
      dismissLabel="Let it go on"
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      Steps that run are asked to end, and no other is begun except those that run always. What has
      ended is kept, and a retry goes on from there.
    </ConfirmDialog>
  );
}

function Retry({ run, from, onClose }: ActionProps & { from?: string }) {
  const api = useApi();
  const params = { path: { id: run.id } };
  const retry = useRunChange<void>(
    run.id,
    () =>
      body(api.POST("/api/runs/{id}/retry", { params, body: from === undefined ? {} : { from } })),
    onClose,
  );
  return (
    <ConfirmDialog
      title={from === undefined ? "Retry this run?" : `Retry from ${from}?`}
      confirmLabel="Retry"
      look="primary"
      busy={retry.isPending}
      error={retry.error}
      onConfirm={() => retry.mutate()}
      onClose={onClose}
    >
      {from === undefined
        ? "Steps that failed or were cancelled are done again, and all that need them; items of a matrix only if they did not succeed. Other steps keep their results."
        : "This step with all its items, every step that failed, and all that need them are done again. Other steps keep their results."}
    </ConfirmDialog>
  );
}
