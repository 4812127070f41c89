// Cancels a job that has not ended, or submits one that has once more. Both ask first. What is of a run goes by its run.
import type { Job } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { body } from "../api.ts";
import { jobQuery } from "../jobs/job-query.ts";
import { jobsKey } from "../jobs/jobs-query.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

export function JobActions({ job }: { job: Job }) {
  const [isAsking, setIsAsking] = useState(false);
  const isEnded = job.finished_at !== null;
  if (!useMayChange() || job.run_id !== null) return null;
  const close = () => setIsAsking(false);
  return (
    <>
      {isEnded ? (
        <Button onClick={() => setIsAsking(true)}>
          <RotateCcw className="size-4" aria-hidden />
          Retry
        </Button>
      ) : (
        <Button busy={job.cancel_requested} onClick={() => setIsAsking(true)}>
          {!job.cancel_requested && <Ban className="size-4" aria-hidden />}
          {job.cancel_requested ? "Cancelling" : "Cancel"}
        </Button>
      )}
      {isAsking &&
        (isEnded ? <Retry job={job} onClose={close} /> : <Cancel job={job} onClose={close} />)}
    </>
  );
}

interface ActionProps {
  job: Job;
  onClose: () => void;
}

function Cancel({ job, onClose }: ActionProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const { queryKey } = jobQuery(api, job.id);
  const cancel = useMutation({
    mutationFn: () => body(api.POST("/api/jobs/{id}/cancel", { params: { path: { id: job.id } } })),
    onSuccess: (changed) => {
      queryClient.setQueryData(queryKey, changed);
      onClose();
    },
    // It may have ended meanwhile: then the page shows that.
    onError: () => queryClient.invalidateQueries({ queryKey }),
  });
  return (
    <ConfirmDialog
      title="Cancel this job?"
      confirmLabel="Cancel the job"
      dismissLabel="Let it go on"
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      {job.status === "queued"
        ? "It leaves the line and never starts."
        : "Its processes are asked to end, and ended a few seconds later if they have not. Its workspace is removed."}
    </ConfirmDialog>
  );
}

function Retry({ job, onClose }: ActionProps) {
  const api = useApi();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const retry = useMutation({
    mutationFn: () => body(api.POST("/api/jobs/{id}/retry", { params: { path: { id: job.id } } })),
    onSuccess: async (made) => {
      queryClient.setQueryData(jobQuery(api, made.id).queryKey, made);
      await queryClient.invalidateQueries({ queryKey: jobsKey, refetchType: "none" });
      onClose();
      await navigate({ to: "/jobs/$id", params: { id: made.id } });
    },
  });
  return (
    <ConfirmDialog
      title="Run this job once more?"
      confirmLabel="Retry"
      look="primary"
      busy={retry.isPending}
      error={retry.error}
      onConfirm={() => retry.mutate()}
      onClose={onClose}
    >
      A new job with the same input is submitted for{" "}
      <strong className="font-medium text-ink">{job.owner}</strong>. This one stays as it is.
    </ConfirmDialog>
  );
}
