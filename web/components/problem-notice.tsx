// A failed action, told beside the thing that was tried.
import type { ReactNode } from "react";
import { toProblem } from "../problem-error.ts";
import { sentence } from "../sentence.ts";
import { CodeText } from "./code-text.tsx";
import { Notice } from "./notice.tsx";
import { RequestId } from "./request-id.tsx";

export function ProblemNotice({ error, action }: { error: unknown; action?: ReactNode }) {
  const { title, detail, requestId, status } = toProblem(error);
  return (
    <Notice tone="bad" title={title} action={action}>
      <CodeText>{sentence(detail)}</CodeText>
      {status >= 500 && <RequestId id={requestId} />}
    </Notice>
  );
}
