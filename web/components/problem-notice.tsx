// A failed action, told beside the thing that was tried.
import { toProblem } from "../problem-error.ts";
import { CodeText } from "./code-text.tsx";
import { Notice } from "./notice.tsx";
import { RequestId } from "./request-id.tsx";

export function ProblemNotice({ error }: { error: unknown }) {
  const { title, detail, requestId, status } = toProblem(error);
  return (
    <Notice tone="bad" title={title}>
      <CodeText>{detail}</CodeText>
      {status >= 500 && <RequestId id={requestId} />}
    </Notice>
  );
}
