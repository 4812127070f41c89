// What can be said about any job besides its input; most need nothing of it.
import { ChevronRight } from "lucide-react";
import { fieldMistake } from "../field-mistake.ts";
import { Field } from "./field.tsx";
import { SelectField } from "./select-field.tsx";

export const jobOptionFields: readonly string[] = ["key", "priority", "source_task_id"];

const priorities = [
  { value: "interactive", words: "Interactive: overtakes" },
  { value: "normal", words: "Normal" },
  { value: "background", words: "Background: lets others pass" },
];

const plain = { autoComplete: "off", autoCapitalize: "none", spellCheck: false, maxLength: 200 };

export function JobOptions({ error }: { error: Error | null }) {
  const hasMistake = jobOptionFields.some((field) => fieldMistake(error, field) !== undefined);
  return (
    <details open={hasMistake || undefined} className="group rounded-md border border-line">
      <summary className="flex h-10 list-none items-center gap-2 px-3 font-medium text-sm">
        <ChevronRight
          className="size-4 text-ink-faint transition-transform group-open:rotate-90"
          aria-hidden
        />
        Advanced
      </summary>
      <div className="space-y-4 border-line border-t p-4">
        <Field
          label="Key (optional)"
          name="key"
          hint="Jobs with the same key share a lane and its limit."
          error={fieldMistake(error, "key")}
          {...plain}
        />
        <SelectField
          label="Priority"
          name="priority"
          options={priorities}
          defaultValue="normal"
          error={fieldMistake(error, "priority")}
        />
        <Field
          label="Task id (optional)"
          name="source_task_id"
          hint="An id of yours. The job and its assets are found by it."
          error={fieldMistake(error, "source_task_id")}
          {...plain}
        />
      </div>
    </details>
  );
}
