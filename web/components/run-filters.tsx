// What narrows the list of runs down; every choice is an address that can be sent to somebody.
import type { RunStatus } from "@croft/contract";
import { Link, useNavigate } from "@tanstack/react-router";
import { X } from "lucide-react";
import { type FormEvent, useRef } from "react";
import { hasFilter, type RunsSearch, runStatuses } from "../runs/run-search.ts";
import { choice, choices, filterField } from "./filter-look.ts";
import { statusLabel } from "./status-badge.tsx";

export function RunFilters({ search }: { search: RunsSearch }) {
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <StatusLinks search={search} />
      {/* A change from elsewhere (back, a link) makes a new field with the new value. */}
      <NameField key={search.name ?? ""} search={search} />
      {hasFilter(search) && (
        <Link
          to="/runs"
          search={{}}
          className="inline-flex h-8 items-center gap-1.5 rounded-md px-2 text-ink-soft text-sm hover:bg-hover hover:text-ink"
        >
          <X className="size-3.5" aria-hidden />
          Clear
        </Link>
      )}
    </div>
  );
}

function StatusLinks({ search }: { search: RunsSearch }) {
  const options: readonly (RunStatus | undefined)[] = [undefined, ...runStatuses];
  return (
    <nav aria-label="Status" className={choices}>
      {options.map((status) => (
        <Link
          key={status ?? "all"}
          to="/runs"
          search={{ ...search, status, cursor: undefined }}
          // Exact, else the router would take "All" for the current one always.
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={search.status === status ? "true" : undefined}
          data-chosen={search.status === status}
          className={choice}
        >
          {status === undefined ? "All" : statusLabel(status)}
        </Link>
      ))}
    </nav>
  );
}

/** Applied by Enter and when it is left, so that half a name is not searched for. */
function NameField({ search }: { search: RunsSearch }) {
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const apply = (event?: FormEvent) => {
    event?.preventDefault();
    const name = input.current?.value.trim() || undefined;
    if (name === search.name) return;
    void navigate({ to: "/runs", search: { ...search, name, cursor: undefined } });
  };
  return (
    <form onSubmit={apply} onBlur={() => apply()} className="max-sm:w-full">
      <button type="submit" hidden aria-hidden tabIndex={-1} />
      <label>
        <span className="sr-only">Pipeline</span>
        <input
          ref={input}
          name="name"
          defaultValue={search.name ?? ""}
          placeholder="Pipeline"
          maxLength={200}
          spellCheck={false}
          autoCapitalize="none"
          className={filterField}
        />
      </label>
    </form>
  );
}
