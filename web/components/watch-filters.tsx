// What narrows the list of watched repositories down; every choice is an address that can be sent to somebody.
import { useNavigate } from "@tanstack/react-router";
import { useAppNames } from "../apps/use-app-names.ts";
import { hasFilter, type WatchSearch, watchStates } from "../repositories/watch-search.ts";
import { ChoiceLinks } from "./choice-links.tsx";
import { FilterClear } from "./filter-clear.tsx";
import { FilterSelect } from "./filter-select.tsx";
import { FilterText } from "./filter-text.tsx";
import { statusLabel } from "./status-badge.tsx";

export function WatchFilters({ search }: { search: WatchSearch }) {
  const navigate = useNavigate();
  const names = useAppNames() ?? [];
  const choose = (change: Partial<WatchSearch>) =>
    void navigate({ to: "/repositories", search: { ...search, ...change, cursor: undefined } });
  const states = ([undefined, ...watchStates] as const).map((state) => ({
    words: state === undefined ? "All" : statusLabel(state),
    link: { to: "/repositories", search: { ...search, state, cursor: undefined } } as const,
    isChosen: search.state === state,
  }));
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <ChoiceLinks label="State" options={states} />
      <FilterSelect
        label="App"
        allWords="All apps"
        value={search.app}
        options={names.map(({ id, name }) => ({ value: id, words: name }))}
        onChoose={(app) => choose({ app })}
      />
      <FilterText
        key={search.search ?? ""}
        label="Part of the address"
        value={search.search}
        onApply={(text) => choose({ search: text })}
      />
      {hasFilter(search) && <FilterClear link={{ to: "/repositories", search: {} }} />}
    </div>
  );
}
