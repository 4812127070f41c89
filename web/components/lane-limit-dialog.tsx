// Sets how many jobs of a lane run at a time, or gives it the default again.
import type { Lane } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { body } from "../api.ts";
import { queueKey } from "../queue/queue-query.ts";
import { useApi } from "../use-api.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

const limitMax = 10_000;

export function LaneLimitDialog({ lane, onClose }: { lane: Lane; onClose: () => void }) {
  const api = useApi();
  const queryClient = useQueryClient();
  const [limit, setLimit] = useState(String(lane.limit ?? 1));
  const change = useMutation({
    mutationFn: (limit: number | null) =>
      body(
        api.PATCH("/admin/api/lanes/{id}", { params: { path: { id: lane.id } }, body: { limit } }),
      ),
    onSuccess: onClose,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queueKey }),
  });
  const number = Number(limit);
  const isValid = Number.isInteger(number) && number >= 1 && number <= limitMax;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isValid && !change.isPending) change.mutate(number);
  };
  return (
    <Dialog label="Set the limit" onClose={onClose}>
      <form onSubmit={submit}>
        <div className="space-y-4 p-5">
          <h2 className="font-semibold text-lg">
            Limit of <span className="break-all">{lane.key}</span>
          </h2>
          <Field
            label="Jobs at a time"
            type="number"
            inputMode="numeric"
            min={1}
            max={limitMax}
            required
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
            error={
              isValid ? undefined : `A whole number from 1 to ${limitMax.toLocaleString("en")}.`
            }
            hint="What runs already goes on; it counts against the new limit."
          />
          <div role="alert" className="empty:hidden">
            {change.isError && <ProblemNotice error={change.error} />}
          </div>
        </div>
        <div className="flex flex-wrap gap-2 border-line border-t bg-canvas px-5 py-3">
          {lane.has_own_limit && (
            <Button look="ghost" className="h-8 px-2" onClick={() => change.mutate(null)}>
              Use the default
            </Button>
          )}
          <span className="ml-auto flex gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={change.isPending}>
              Set limit
            </Button>
          </span>
        </div>
      </form>
    </Dialog>
  );
}
