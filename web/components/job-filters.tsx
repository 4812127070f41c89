// What narrows the list of jobs down; every choice is an address that can be sent to somebody.
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useRef } from "react";
import { hasFilter, type JobSearch, jobStatuses } from "../jobs/job-search.ts";
import { ChoiceLinks } from "./choice-links.tsx";
import { FilterClear } from "./filter-clear.tsx";
import { filterField } from "./filter-look.ts";
import { statusLabel } from "./status-badge.tsx";

const fields = [
  { name: "type", label: "Type" },
  { name: "owner", label: "Owner" },
  { name: "key", label: "Key" },
  { name: "source_task_id", label: "Task id" },
] as const;

export function JobFilters({ search }: { search: JobSearch }) {
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <StatusLinks search={search} />
      {/* A change from elsewhere (back, a link) makes new fields with the new values. */}
      <Fields key={JSON.stringify(search)} search={search} />
      {hasFilter(search) && <FilterClear link={{ to: "/jobs", search: {} }} />}
    </div>
  );
}

function StatusLinks({ search }: { search: JobSearch }) {
  const options = ([undefined, ...jobStatuses] as const).map((status) => ({
    words: status === undefined ? "All" : statusLabel(status),
    link: { to: "/jobs", search: { ...search, status, cursor: undefined } } as const,
    isChosen: search.status === status,
  }));
  return <ChoiceLinks label="Status" options={options} />;
}

/** Applied by Enter and when a field is left, so that half a word is not searched for. */
function Fields({ search }: { search: JobSearch }) {
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const apply = (event?: FormEvent) => {
    event?.preventDefault();
    if (form.current === null) return;
    const values = new FormData(form.current);
    const next = Object.fromEntries(
      fields.map(({ name }) => [name, String(values.get(name) ?? "").trim() || undefined]),
    );
    if (fields.every(({ name }) => next[name] === search[name])) return;
    void navigate({ to: "/jobs", search: { ...search, ...next, cursor: undefined } });
  };
  return (
    <form
      ref={form}
      onSubmit={apply}
      onBlur={() => apply()}
      className="flex flex-wrap gap-2 max-sm:w-full"
    >
      <button type="submit" hidden aria-hidden tabIndex={-1} />
      {fields.map(({ name, label }) => (
        <label key={name} className="max-sm:w-[calc(50%-0.25rem)]">
          <span className="sr-only">{label}</span>
          <input
            name={name}
            defaultValue={search[name] ?? ""}
            placeholder={label}
            maxLength={200}
            spellCheck={false}
            autoCapitalize="none"
            className={filterField}
          />
        </label>
      ))}
    </form>
  );
}
