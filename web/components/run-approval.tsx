// A step that waits for somebody's yes or no.
import type { RunDetail, RunStep } from "@croft/contract";
import { useState } from "react";
import { body } from "../api.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { Notice } from "./notice.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { useRunChange } from "./run-actions.tsx";

export function RunApproval({ run, step }: { run: RunDetail; step: RunStep }) {
  const mayChange = useMayChange();
  const [answer, setAnswer] = useState<"approve" | "refuse">();
  return (
    <Notice tone="warn" title={`${step.name} waits for an approval`} className="border-t">
      {step.message !== null && (
        <p className="mt-1 mb-2 whitespace-pre-wrap break-words text-base text-ink">
          {step.message}
        </p>
      )}
      <p>
        {step.deadline_at === null ? (
          "It waits until somebody answers."
        ) : (
          <>
            Without an answer it fails <RelativeTime time={step.deadline_at} />.
          </>
        )}
      </p>
      {mayChange && (
        <div className="mt-2 flex gap-2">
          <Button look="primary" onClick={() => setAnswer("approve")}>
            Approve
          </Button>
          <Button onClick={() => setAnswer("refuse")}>Refuse</Button>
        </div>
      )}
      {answer !== undefined && (
        <Decision {...{ run, step, answer }} onClose={() => setAnswer(undefined)} />
      )}
    </Notice>
  );
}

interface DecisionProps {
  run: RunDetail;
  step: RunStep;
  answer: "approve" | "refuse";
  onClose: () => void;
}

function Decision({ run, step, answer, onClose }: DecisionProps) {
  const api = useApi();
  const isYes = answer === "approve";
  const params = { path: { id: run.id } };
  const decide = useRunChange<void>(
    run.id,
    () =>
      body(
        api.POST("/api/runs/{id}/approve", { params, body: { step: step.step, approve: isYes } }),
      ),
    onClose,
  );
  return (
    <ConfirmDialog
      title={isYes ? `Approve ${step.name}?` : `Refuse ${step.name}?`}
      confirmLabel={isYes ? "Approve" : "Refuse"}
      look={isYes ? "primary" : "danger"}
      busy={decide.isPending}
      error={decide.error}
      onConfirm={() => decide.mutate()}
      onClose={onClose}
    >
      {step.message !== null && (
        <span className="mb-2 block whitespace-pre-wrap break-words border-line-strong border-l-2 pl-3 text-ink">
          {step.message}
        </span>
      )}
      {isYes
        ? "The run goes on with the steps that need it. Your name is kept with the answer."
        : "The step fails, and what needs it is skipped. Your name is kept with the answer."}
    </ConfirmDialog>
  );
}
