// A failure that takes the place of what should have been there, with the way to try again.
import { CircleAlert, RotateCw, Unplug } from "lucide-react";
import { toProblem } from "../problem-error.ts";
import { Button } from "./button.tsx";
import { CodeText } from "./code-text.tsx";
import { RequestId } from "./request-id.tsx";

export interface ProblemViewProps {
  error: unknown;
  onRetry: () => void;
  busy?: boolean;
}

export function ProblemView({ error, onRetry, busy = false }: ProblemViewProps) {
  const { title, detail, requestId, status } = toProblem(error);
  const Icon = status === 0 ? Unplug : CircleAlert;
  return (
    <div
      role="alert"
      className="flex flex-col items-center rounded-lg border border-line border-dashed px-6 py-14 text-center"
    >
      <span className="mb-4 grid size-10 place-items-center rounded-lg border border-bad-line bg-bad-soft text-bad">
        <Icon className="size-5" aria-hidden />
      </span>
      <p className="font-semibold text-lg">{title}</p>
      <p className="mt-1 max-w-md text-ink-soft text-balance">
        <CodeText>{detail}</CodeText>
      </p>
      <RequestId id={requestId} />
      <Button className="mt-5 h-8 px-3" busy={busy} onClick={onRetry}>
        {!busy && <RotateCw className="size-3.5" aria-hidden />}
        Try again
      </Button>
    </div>
  );
}
