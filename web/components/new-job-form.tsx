// Asks for the input of a job of one type, and submits it.
import type { JobPriority, JobTypeInfo } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { body } from "../api.ts";
import { definedOnly } from "../defined-only.ts";
import type { Draft } from "../job-form/draft.ts";
import { mistakesIn, mistakeWithin, untold } from "../job-form/mistakes.ts";
import type { Mistakes } from "../job-form/read-draft.ts";
import { type InputShape, type JobInput, useJobInput } from "../job-form/use-job-input.ts";
import { jobQuery } from "../jobs/job-query.ts";
import { jobsKey } from "../jobs/jobs-query.ts";
import { randomKey } from "../random-key.ts";
import { useApi } from "../use-api.ts";
import { useFocusInvalid } from "../use-focus-invalid.ts";
import { Button } from "./button.tsx";
import { textOf } from "./form-dialog.tsx";
import { InputModePicker } from "./input-mode-picker.tsx";
import { JobOptions, jobOptionFields } from "./job-options.tsx";
import { Notice } from "./notice.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { ShapeField, ShapeFields } from "./shape-field.tsx";
import { TextAreaField } from "./text-area-field.tsx";

export function NewJobForm({ type }: { type: JobTypeInfo }) {
  const form = useRef<HTMLFormElement>(null);
  const input = useJobInput(type.input);
  const [found, setFound] = useState<Mistakes>(new Map());
  const submit = useSubmit(type.name);
  useFocusInvalid(form, submit.error ?? found);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { value, mistakes } = input.read();
    setFound(mistakes);
    submit.reset();
    if (mistakes.size > 0 || submit.isPending) return;
    submit.mutate({ input: value, values: new FormData(event.currentTarget) });
  };
  const mistakes = submit.error === null ? found : mistakesIn(submit.error);
  return (
    <form
      ref={form}
      onSubmit={send}
      noValidate
      className="max-w-2xl rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="space-y-5 p-5">
        <InputPart input={input} mistakes={mistakes} />
        <JobOptions error={submit.error} />
        <div role="alert" className="empty:hidden">
          <Refusal error={submit.error} mistakes={mistakes} input={input} />
        </div>
      </div>
      <div className="flex items-center justify-end gap-4 border-line border-t bg-canvas px-5 py-3">
        <Link to="/jobs" search={{}} className="text-ink-soft text-sm hover:text-ink">
          Cancel
        </Link>
        <Button type="submit" look="primary" busy={submit.isPending}>
          Submit job
        </Button>
      </div>
    </form>
  );
}

function useSubmit(type: string) {
  const api = useApi();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  // The same again, after an answer that never came, is the same job.
  const last = useRef({ text: "", key: "" });
  return useMutation({
    mutationFn: ({ input, values }: { input: Record<string, unknown>; values: FormData }) => {
      const options = definedOnly({
        key: textOf(values, "key") || undefined,
        source_task_id: textOf(values, "source_task_id") || undefined,
      });
      const priority = textOf(values, "priority") as JobPriority;
      const submission = { type, input, priority, ...options };
      const text = JSON.stringify(submission);
      if (last.current.text !== text) last.current = { text, key: randomKey() };
      const params = { header: { "idempotency-key": last.current.key } };
      return body(api.POST("/api/jobs", { body: submission, params }));
    },
    onSuccess: async (job) => {
      queryClient.setQueryData(jobQuery(api, job.id).queryKey, job);
      await queryClient.invalidateQueries({ queryKey: jobsKey, refetchType: "none" });
      await navigate({ to: "/jobs/$id", params: { id: job.id } });
    },
  });
}

function InputPart({ input, mistakes }: { input: JobInput; mistakes: Mistakes }) {
  const { shape, draft, mode, refusal } = input;
  return (
    <section aria-label="Input" className="space-y-4">
      <header className="flex min-h-8 items-center justify-between gap-4">
        <h2 className="font-medium">Input</h2>
        {shape !== undefined && <InputModePicker mode={mode} onChange={input.setMode} />}
      </header>
      {shape === undefined && (
        <p className="text-ink-soft text-sm">
          This server does not know what the type asks for: write it as JSON. It is checked where
          the job runs.
        </p>
      )}
      <div role="alert" className="empty:hidden">
        {refusal !== undefined && (
          <Notice tone="warn" title="The fields cannot show this">
            {refusal}
          </Notice>
        )}
      </div>
      {mode === "json" || shape === undefined ? (
        <TextAreaField
          label="Input as JSON"
          isLabelHidden
          isCode
          rows={12}
          spellCheck={false}
          value={input.text}
          error={mistakeWithin(mistakes, "input")}
          onChange={(event) => input.setText(event.target.value)}
        />
      ) : (
        <InputFields {...{ shape, draft, mistakes }} onChange={input.setDraft} />
      )}
    </section>
  );
}

interface InputFieldsProps {
  shape: InputShape;
  draft: Draft;
  mistakes: Mistakes;
  onChange: (draft: Draft) => void;
}

function InputFields({ shape, draft, mistakes, onChange }: InputFieldsProps) {
  if (shape.kind === "union") {
    const label = shape.title ?? "Kind of input";
    return <ShapeField {...{ shape, draft, mistakes, label, onChange }} path="input" isRequired />;
  }
  if (shape.fields.length === 0) {
    return <p className="text-ink-soft text-sm">It needs no input.</p>;
  }
  return (
    <ShapeFields
      {...{ fields: shape.fields, path: "input", mistakes }}
      drafts={(draft.kind === "object" ? draft.fields : undefined) ?? new Map()}
      onChange={(fields) => onChange({ kind: "object", fields })}
    />
  );
}

interface RefusalProps {
  error: Error | null;
  mistakes: Mistakes;
  input: JobInput;
}

/** What no field tells. */
function Refusal({ error, mistakes, input }: RefusalProps) {
  const { shape, draft, mode } = input;
  if (error !== null && mistakes.size === 0) return <ProblemNotice error={error} />;
  const ofInput = new Map([...mistakes].filter(([path]) => !jobOptionFields.includes(path)));
  if (shape === undefined || mode === "json") return null;
  const left = untold(ofInput, shape, draft);
  if (left.length === 0) return null;
  return (
    <Notice tone="bad" title="The input is not valid">
      {left.join(" ")}
    </Notice>
  );
}
