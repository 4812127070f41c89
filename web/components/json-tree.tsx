// JSON to look into: what is large is closed, and what is closed costs nothing, however large it is.
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { formatCount } from "../format-count.ts";

const membersMax = 200;
const textLengthMax = 2_000;

export function JsonTree({ value }: { value: Readonly<Record<string, unknown>> }) {
  return (
    <div className="font-mono text-xs leading-6">
      <Members members={Object.entries(value)} />
    </div>
  );
}

type Member = readonly [name: string, value: unknown];

function Members({ members }: { members: readonly Member[] }) {
  const left = members.length - membersMax;
  return (
    <ul>
      {members.slice(0, membersMax).map(([name, value]) => (
        <li key={name}>
          <OneMember name={name} value={value} />
        </li>
      ))}
      {left > 0 && <li className="text-ink-faint">and {formatCount(left)} more</li>}
    </ul>
  );
}

function OneMember({ name, value }: { name: string; value: unknown }) {
  const [isOpen, setIsOpen] = useState(false);
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (members.length === 0) {
    return (
      <span className="block pl-5">
        <span className="text-ink-soft">{name}: </span>
        <Leaf value={value} />
      </span>
    );
  }
  const count = formatCount(members.length);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="flex items-center gap-1 rounded-sm hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight
          className={`size-4 shrink-0 text-ink-faint transition-transform ${isOpen ? "rotate-90" : ""}`}
          aria-hidden
        />
        <span className="text-ink-soft">{name}</span>
        <span className="text-ink-faint">{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
      </summary>
      <div className="ml-2 border-line border-l pl-2">
        {isOpen && <Members members={members} />}
      </div>
    </details>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value !== "string") {
    return <span className="text-run">{JSON.stringify(value)}</span>;
  }
  const shown = value.length > textLengthMax ? `${value.slice(0, textLengthMax)}…` : value;
  return <span className="whitespace-pre-wrap break-all text-ink">{JSON.stringify(shown)}</span>;
}
