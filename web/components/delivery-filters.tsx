// What narrows the list of deliveries down; every choice is an address that can be sent to somebody.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useAppNames } from "../apps/use-app-names.ts";
import {
  type DeliverySearch,
  deliveryStates,
  deliveryTypes,
  hasFilter,
} from "../deliveries/delivery-search.ts";
import { watchQuery } from "../repositories/watch-query.ts";
import { repositoryName } from "../repository-name.ts";
import { useApi } from "../use-api.ts";
import { ChoiceLinks } from "./choice-links.tsx";
import { FilterClear } from "./filter-clear.tsx";
import { FilterSelect } from "./filter-select.tsx";
import { statusLabel } from "./status-badge.tsx";

export function DeliveryFilters({ search }: { search: DeliverySearch }) {
  const navigate = useNavigate();
  const names = useAppNames() ?? [];
  const choose = (change: Partial<DeliverySearch>) =>
    void navigate({ to: "/deliveries", search: { ...search, ...change, cursor: undefined } });
  const states = ([undefined, ...deliveryStates] as const).map((state) => ({
    words: state === undefined ? "All" : statusLabel(state),
    link: { to: "/deliveries", search: { ...search, state, cursor: undefined } } as const,
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
        onChoose={(app) => choose({ app, watch: undefined })}
      />
      <FilterSelect
        label="Type"
        allWords="All types"
        value={search.type}
        options={deliveryTypes.map((type) => ({ value: type, words: type }))}
        onChoose={(type) => choose({ type })}
      />
      {search.watch !== undefined && <WatchChip watch={search.watch} search={search} />}
      {hasFilter(search) && <FilterClear link={{ to: "/deliveries", search: {} }} />}
    </div>
  );
}

/** Chosen on the page of the watch; here it can only be taken away. */
function WatchChip({ watch, search }: { watch: string; search: DeliverySearch }) {
  const { data } = useQuery(watchQuery(useApi(), watch));
  const name = data === undefined ? "one repository" : repositoryName(data.url);
  return (
    <Link
      to="/deliveries"
      search={{ ...search, watch: undefined, cursor: undefined }}
      aria-label={`Only ${name}: show all repositories`}
      className="inline-flex h-8 max-w-56 items-center gap-1.5 rounded-md bg-accent-soft px-2.5 text-accent text-sm hover:underline"
    >
      <span className="truncate">{name}</span>
      <X className="size-3.5 shrink-0" aria-hidden />
    </Link>
  );
}
