// What narrows the list of GitHub's events down; every choice is an address that can be sent to somebody.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { installationsQuery } from "../github/github-query.ts";
import {
  eventNames,
  eventStatuses,
  type GithubSearch,
  hasFilter,
} from "../github/github-search.ts";
import { installationName } from "../github/installation-state.ts";
import { useApi } from "../use-api.ts";
import { ChoiceLinks } from "./choice-links.tsx";
import { FilterClear } from "./filter-clear.tsx";
import { FilterSelect } from "./filter-select.tsx";
import { statusLabel } from "./status-badge.tsx";

export function GithubEventFilters({ search }: { search: GithubSearch }) {
  const navigate = useNavigate();
  const { data: installations = [] } = useQuery(installationsQuery(useApi()));
  // The list stands below other things: a choice must not lead away from it.
  const linkTo = (change: GithubSearch) =>
    ({
      to: "/github",
      search: { ...search, ...change, cursor: undefined },
      resetScroll: false,
    }) as const;
  const statuses = ([undefined, ...eventStatuses] as const).map((status) => ({
    words: status === undefined ? "All" : statusLabel(status),
    link: linkTo({ status }),
    isChosen: search.status === status,
  }));
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <ChoiceLinks label="Status" options={statuses} />
      <FilterSelect
        label="Installation"
        allWords="All installations"
        value={search.installation}
        options={installations.map((each) => ({
          value: String(each.id),
          words: installationName(each),
        }))}
        onChoose={(installation) => void navigate(linkTo({ installation }))}
      />
      <FilterSelect
        label="Event"
        allWords="All events"
        value={search.event}
        options={eventNames.map((name) => ({ value: name, words: name }))}
        onChoose={(event) => void navigate(linkTo({ event }))}
      />
      {hasFilter(search) && (
        <FilterClear link={{ to: "/github", search: {}, resetScroll: false }} />
      )}
    </div>
  );
}
