// Asks before something that cannot be undone, or costs something, and stays open to tell if it failed.
import type { ReactNode } from "react";
import { Button, type ButtonProps } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

export interface ConfirmDialogProps {
  title: string;
  children: ReactNode;
  confirmLabel: string;
  /** Where "Cancel" could be mistaken for what is asked about. */
  dismissLabel?: string;
  look?: ButtonProps["look"];
  busy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Dialog label={props.title} onClose={props.onClose}>
      <div className="space-y-3 p-5">
        <h2 className="font-semibold text-lg">{props.title}</h2>
        <div className="text-ink-soft">{props.children}</div>
        <div role="alert" className="empty:hidden">
          {props.error !== null && <ProblemNotice error={props.error} />}
        </div>
      </div>
      <div className="flex justify-end gap-2 border-line border-t bg-canvas px-5 py-3">
        <Button onClick={props.onClose}>{props.dismissLabel ?? "Cancel"}</Button>
        <Button look={props.look ?? "danger"} busy={props.busy} onClick={props.onConfirm}>
          {props.confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
