// What a step tells beside its result: what was merged and what conflicts, warnings of checks, its summary.
import { readReport, type StepConflict } from "../runs/read-report.ts";
import { CodeBlock } from "./code-block.tsx";
import { Notice } from "./notice.tsx";

export function StepReport({ report }: { report: Readonly<Record<string, unknown>> }) {
  const { warnings, integrated, conflicts, rest } = readReport(report);
  return (
    <>
      {warnings.length > 0 && (
        <Notice tone="warn" title={warnings.length === 1 ? "A check warns" : "Checks warn"}>
          <ul>
            {warnings.map((warning) => (
              <li key={warning} className="break-words">
                {warning}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {integrated.length > 0 && (
        <p className="text-sm">
          <span className="text-ink-soft">Merged, in this order:</span>{" "}
          <span className="break-words">{integrated.join(", ")}</span>
        </p>
      )}
      {conflicts.length > 0 && <Conflicts conflicts={conflicts} />}
      {rest !== undefined && (
        <CodeBlock label="Report as JSON">{JSON.stringify(rest, undefined, 2)}</CodeBlock>
      )}
    </>
  );
}

function Conflicts({ conflicts }: { conflicts: readonly StepConflict[] }) {
  const count = conflicts.length;
  return (
    <Notice
      tone="warn"
      title={count === 1 ? "1 could not be merged" : `${count} could not be merged`}
    >
      <p>Their commits are kept.</p>
      <dl className="mt-1 space-y-1.5">
        {conflicts.map(({ id, reason, files }) => (
          <div key={id}>
            <dt className="font-medium text-ink">
              {id} <span className="font-normal text-ink-soft">{reason}</span>
            </dt>
            <dd>
              <ul className="font-mono text-xs leading-5">
                {files.map((file) => (
                  <li key={file} className="break-all">
                    {file}
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </Notice>
  );
}
