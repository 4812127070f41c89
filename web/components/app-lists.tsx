// What an app watches and what was sent to it last, on its page.
import type { AppDetail, Bulk } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus, RefreshCw, RotateCcw } from "lucide-react";
import { useState } from "react";
import { deliveriesKey, deliveriesQuery, isOfDeliveries } from "../deliveries/delivery-query.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { isOfWatches, watchesKey, watchesQuery } from "../repositories/watch-query.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { BulkButton } from "./bulk-button.tsx";
import { Button } from "./button.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import { factLink } from "./fact.tsx";
import { ListBody } from "./list-body.tsx";
import { EmptyLine, ListSection } from "./list-section.tsx";
import { NewWatchDialog } from "./watch-dialog.tsx";
import { WatchTable } from "./watch-table.tsx";

/** So many are shown here; the rest is on their own page. */
const shownMax = 5;

export interface AppListProps {
  app: AppDetail;
  onBulk: (bulk: Bulk) => void;
}

export function AppWatches({ app, onBulk }: AppListProps) {
  const query = useQuery(watchesQuery(useApi(), { app: app.id }, shownMax));
  useLiveQueries(watchesKey, isOfWatches);
  const [isAdding, setIsAdding] = useState(false);
  const navigate = useNavigate();
  const mayChange = useMayChange();
  return (
    <ListSection
      title="Watched repositories"
      aside={
        <>
          {app.watches > 0 && (
            <Link to="/repositories" search={{ app: app.id }} className={factLink}>
              Show all
            </Link>
          )}
          {app.watches > 0 && (
            <BulkButton
              label="Re-sync all"
              icon={RefreshCw}
              request={{ action: "resync", filter: { app: app.id } }}
              title={`Re-sync everything ${app.name} watches?`}
              onStarted={onBulk}
            >
              Every file of every repository it watches is sent to it again.
            </BulkButton>
          )}
          {mayChange && (
            <Button onClick={() => setIsAdding(true)}>
              <Plus className="size-4" aria-hidden />
              Watch a repository
            </Button>
          )}
        </>
      }
    >
      <ListBody
        query={query}
        isEmpty={({ watches }) => watches.length === 0}
        empty={<EmptyLine>It watches nothing yet.</EmptyLine>}
      >
        {({ watches }) => <WatchTable watches={watches} isOfOneApp />}
      </ListBody>
      {isAdding && (
        <NewWatchDialog
          appId={app.id}
          onMade={({ id }) =>
            void navigate({ to: "/repositories/$id", params: { id }, search: {} })
          }
          onClose={() => setIsAdding(false)}
        />
      )}
    </ListSection>
  );
}

export function AppDeliveries({ app, onBulk }: AppListProps) {
  const query = useQuery(deliveriesQuery(useApi(), { app: app.id }, shownMax));
  useLiveQueries(deliveriesKey, isOfDeliveries);
  return (
    <ListSection
      title="Recent deliveries"
      aside={
        <>
          <Link to="/deliveries" search={{ app: app.id }} className={factLink}>
            Show all
          </Link>
          {app.failed_deliveries > 0 && (
            <BulkButton
              label="Replay failed"
              icon={RotateCcw}
              request={{ action: "replay", filter: { app: app.id } }}
              title={`Replay all failed deliveries of ${app.name}?`}
              onStarted={onBulk}
            >
              Those that were given up and those in quarantine are tried again now, each under its
              own id. One that is older than a later message about the same path is left as it is.
            </BulkButton>
          )}
        </>
      }
    >
      <ListBody
        query={query}
        isEmpty={({ deliveries }) => deliveries.length === 0}
        empty={<EmptyLine>Nothing was sent to it yet.</EmptyLine>}
      >
        {({ deliveries }) => <DeliveryTable deliveries={deliveries} isOfOneApp />}
      </ListBody>
    </ListSection>
  );
}
