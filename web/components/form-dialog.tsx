// A form in a modal window: stays open until what it asks for is done, and tells if it failed.
import { type FormEvent, type ReactNode, useRef } from "react";
import { isUntold } from "../field-mistake.ts";
import { useFocusInvalid } from "../use-focus-invalid.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

export interface FormDialogProps {
  title: string;
  submitLabel: string;
  busy: boolean;
  error: Error | null;
  /** Whose mistakes the fields show themselves. */
  fields: readonly string[];
  onSubmit: (values: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { title, submitLabel, busy, error, fields, onSubmit, onClose, children } = props;
  const form = useRef<HTMLFormElement>(null);
  useFocusInvalid(form, error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!busy) onSubmit(new FormData(event.currentTarget));
  };
  return (
    <Dialog label={title} onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
        <div className="space-y-4 p-5">
          <h2 className="font-semibold text-lg">{title}</h2>
          {children}
          <div role="alert" className="empty:hidden">
            {isUntold(error, fields) && <ProblemNotice error={error} />}
          </div>
        </div>
        <div className="sticky bottom-0 flex justify-end gap-2 border-line border-t bg-canvas px-5 py-3">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            {submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The text of a field, without the spaces round it. */
export function textOf(values: FormData, name: string): string {
  return String(values.get(name) ?? "").trim();
}
