// Every try of a delivery: what was asked, what was answered, how long it took.
import type { DeliveryAttempt } from "@croft/contract";
import { ChevronRight } from "lucide-react";
import { formatBytes } from "../format-bytes.ts";
import { formatElapsed } from "../format-duration.ts";
import { sentence } from "../sentence.ts";
import { CodeBlock } from "./code-block.tsx";
import { RelativeTime } from "./relative-time.tsx";

export function DeliveryAttempts({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  if (attempts.length === 0) return <p className="text-ink-faint text-sm">None yet.</p>;
  return (
    <ol className="-my-4 divide-y divide-line">
      {attempts.map((attempt, index) => (
        <Attempt
          key={`${attempt.attempt} ${attempt.chunk ?? ""} ${attempt.at}`}
          attempt={attempt}
          isOpen={index === 0}
        />
      ))}
    </ol>
  );
}

function Attempt({ attempt, isOpen }: { attempt: DeliveryAttempt; isOpen: boolean }) {
  const { number, isGood } = { number: attempt.attempt, isGood: isAccepted(attempt) };
  return (
    <li className="-mx-4">
      <details open={isOpen} className="group">
        <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 text-sm hover:bg-hover [&::-webkit-details-marker]:hidden">
          <ChevronRight
            className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
            aria-hidden
          />
          <span className="font-medium">Try {number}</span>
          {attempt.chunk !== null && (
            <span className="text-ink-faint text-xs">chunk {attempt.chunk + 1}</span>
          )}
          <span
            className={`rounded-sm px-1.5 font-medium font-mono text-xs leading-5 ${isGood ? "bg-accent-soft text-accent" : "bg-bad-soft text-bad"}`}
          >
            {attempt.status_code ?? attempt.error?.code ?? "no answer"}
          </span>
          <span className="text-ink-soft tabular-nums">{formatElapsed(attempt.duration_ms)}</span>
          <span className="ml-auto text-ink-faint text-xs">
            <RelativeTime time={attempt.at} isPast />
          </span>
        </summary>
        <div className="space-y-3 px-4 pb-4">
          {attempt.error !== null && (
            <p className="break-words text-bad text-sm">{sentence(attempt.error.message)}</p>
          )}
          <div className="grid gap-3 lg:grid-cols-2">
            <Message title="Request" message={attempt.request} />
            {attempt.response === null ? (
              <p className="text-ink-faint text-sm">No answer came.</p>
            ) : (
              <Message title="Answer" message={attempt.response} />
            )}
          </div>
        </div>
      </details>
    </li>
  );
}

function isAccepted({ status_code }: DeliveryAttempt): boolean {
  return status_code !== null && status_code >= 200 && status_code < 300;
}

interface MessageProps {
  title: "Request" | "Answer";
  message: Readonly<Record<string, unknown>>;
}

function Message({ title, message }: MessageProps) {
  const { bytes } = message;
  return (
    <div className="min-w-0">
      <h3 className="mb-1 flex justify-between text-ink-faint text-xs">
        {title}
        {typeof bytes === "number" && <span>{formatBytes(bytes)}</span>}
      </h3>
      <CodeBlock label={`${title} with its headers`}>{textOf(title, message)}</CodeBlock>
    </div>
  );
}

/** As it goes over the wire, as far as it is kept. */
function textOf(title: MessageProps["title"], message: MessageProps["message"]): string {
  const { url, status, headers, body } = message;
  const first = title === "Request" ? `POST ${String(url)}` : `HTTP ${String(status)}`;
  const lines = Object.entries((headers ?? {}) as Record<string, unknown>).map(
    ([name, value]) => `${name}: ${String(value)}`,
  );
  const text = typeof body === "string" && body !== "" ? ["", prettyJson(body)] : [];
  return [first, ...lines, ...text].join("\n");
}

/** Indented if it is JSON; what was cut off is left as it is. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
