// All deliveries, newest first, with filters in the address.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ListFilter, RotateCcw, Send } from "lucide-react";
import { BulkButton } from "../components/bulk-button.tsx";
import { BulkProgress } from "../components/bulk-progress.tsx";
import { DeliveryFilters } from "../components/delivery-filters.tsx";
import { DeliveryTable } from "../components/delivery-table.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { LinkButton } from "../components/link-button.tsx";
import { ListBody } from "../components/list-body.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { PageLinks } from "../components/page-links.tsx";
import { definedOnly } from "../defined-only.ts";
import { deliveriesKey, deliveriesQuery, isOfDeliveries } from "../deliveries/delivery-query.ts";
import { type DeliverySearch, hasFilter } from "../deliveries/delivery-search.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";

export function DeliveriesPage() {
  const search = useSearch({ from: "/app/deliveries" });
  const query = useQuery(deliveriesQuery(useApi(), search));
  useLiveQueries(deliveriesKey, isOfDeliveries);
  const isEmpty = query.data?.deliveries.length === 0;
  return (
    <>
      <PageHeader title="Deliveries">
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          {!isEmpty && <ReplayButton search={search} />}
        </div>
      </PageHeader>
      {!(isEmpty && !hasFilter(search)) && <DeliveryFilters search={search} />}
      {search.bulk !== undefined && (
        <BulkProgress
          id={search.bulk}
          hideLink={{ to: "/deliveries", search: { ...search, bulk: undefined } }}
        />
      )}
      <ListBody
        query={query}
        isEmpty={({ deliveries }) => deliveries.length === 0}
        empty={<NoDeliveries search={search} />}
      >
        {({ deliveries, next_cursor }) => (
          <>
            <DeliveryTable deliveries={deliveries} isStale={query.isPlaceholderData} />
            <PageLinks
              newest={
                search.cursor === undefined
                  ? undefined
                  : { to: "/deliveries", search: { ...search, cursor: undefined } }
              }
              older={
                next_cursor === null
                  ? undefined
                  : { to: "/deliveries", search: { ...search, cursor: next_cursor } }
              }
            />
          </>
        )}
      </ListBody>
    </>
  );
}

/** For those that were given up or set aside; other filters than these the server does not know. */
function ReplayButton({ search }: { search: DeliverySearch }) {
  const navigate = useNavigate();
  const { state, app, watch, type } = search;
  if ((state !== "failed" && state !== "quarantined") || type !== undefined) return null;
  return (
    <BulkButton
      label="Replay all"
      icon={RotateCcw}
      request={{ action: "replay", filter: { state, ...definedOnly({ app, watch }) } }}
      title="Replay all these deliveries?"
      onStarted={({ id }) => void navigate({ to: "/deliveries", search: { ...search, bulk: id } })}
    >
      All that match now, on all pages, are tried again, each under its own id. One that is older
      than a later message about the same path is left as it is.
    </BulkButton>
  );
}

function NoDeliveries({ search }: { search: DeliverySearch }) {
  if (hasFilter(search) || search.cursor !== undefined) {
    return (
      <EmptyState icon={ListFilter} title="No delivery matches">
        <p>Nothing here has all of these properties.</p>
        <Link
          to="/deliveries"
          search={{}}
          className="font-medium text-accent underline underline-offset-4"
        >
          Show all deliveries
        </Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={Send} title="No delivery yet">
      <p className="max-w-lg">
        When something changes in a watched repository, its app gets a signed request, and here is
        how it went: what was sent, what was answered, when it is tried again.
      </p>
      <LinkButton link={{ to: "/repositories", search: {} }}>See what is watched</LinkButton>
    </EmptyState>
  );
}
