// What narrows the list of runs down; every choice is an address that can be sent to somebody.
import { useNavigate } from "@tanstack/react-router";
import { hasFilter, type RunsSearch, runStatuses } from "../runs/run-search.ts";
import { ChoiceLinks } from "./choice-links.tsx";
import { FilterClear } from "./filter-clear.tsx";
import { FilterText } from "./filter-text.tsx";
import { statusLabel } from "./status-badge.tsx";

export function RunFilters({ search }: { search: RunsSearch }) {
  const navigate = useNavigate();
  const statuses = ([undefined, ...runStatuses] as const).map((status) => ({
    words: status === undefined ? "All" : statusLabel(status),
    link: { to: "/runs", search: { ...search, status, cursor: undefined } } as const,
    isChosen: search.status === status,
  }));
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <ChoiceLinks label="Status" options={statuses} />
      <FilterText
        key={search.name ?? ""}
        label="Pipeline"
        value={search.name}
        onApply={(name) =>
          void navigate({ to: "/runs", search: { ...search, name, cursor: undefined } })
        }
      />
      {hasFilter(search) && <FilterClear link={{ to: "/runs", search: {} }} />}
    </div>
  );
}
