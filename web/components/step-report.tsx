// What a step tells beside its result: what was merged and what conflicts, warnings of checks, its summary.
import type { RunStep, StepIntegration } from "@croft/contract";
import { formatCount } from "../format-count.ts";
import { readReport } from "../runs/read-report.ts";
import { CodeBlock } from "./code-block.tsx";
import { Notice, type NoticeProps } from "./notice.tsx";

export function StepReport({ step }: { step: RunStep }) {
  const { warnings, rest } = readReport(step.report ?? {});
  const { integrated = [], conflicts = [], left_out: leftOut = [] } = step.integration ?? {};
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
      {conflicts.length > 0 && (
        <Conflicts conflicts={conflicts} tone={step.status === "failed" ? "bad" : "warn"} />
      )}
      {leftOut.length > 0 && (
        <Notice tone="warn" title={`${formatCount(leftOut.length)} made nothing to merge`}>
          <ul>
            {leftOut.map(({ id, result }) => (
              <li key={id} className="break-all">
                {id} <span className="text-ink-soft">· {result}</span>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {rest !== undefined && (
        <CodeBlock label="Report as JSON">{JSON.stringify(rest, undefined, 2)}</CodeBlock>
      )}
    </>
  );
}

interface ConflictsProps extends Pick<StepIntegration, "conflicts"> {
  tone: NoticeProps["tone"];
}

function Conflicts({ conflicts, tone }: ConflictsProps) {
  const count = conflicts.length;
  return (
    <Notice
      tone={tone}
      title={count === 1 ? "1 could not be merged" : `${count} could not be merged`}
    >
      <p>Their commits are kept.</p>
      <section
        aria-label="Files that conflict"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="mt-2 max-h-96 overflow-y-auto"
      >
        <dl className="space-y-2">
          {conflicts.map(({ id, reason, files, files_left_out: leftOut }) => (
            <div key={id} className="border-line-strong border-l-2 pl-3">
              <dt className="break-all font-medium text-ink">
                {id} <span className="font-normal text-ink-soft">· {reason}</span>
              </dt>
              <dd>
                <ul className="font-mono text-xs leading-5">
                  {files.map((file) => (
                    <li key={file} className="break-all">
                      {file}
                    </li>
                  ))}
                </ul>
                {leftOut > 0 && <p className="text-xs">and {formatCount(leftOut)} more</p>}
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </Notice>
  );
}
