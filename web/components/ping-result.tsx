// What became of a test of an app's endpoint, as soon as it is known.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { deliveryQuery, isOfDeliveries } from "../deliveries/delivery-query.ts";
import { type Surroundings, whyWaiting } from "../deliveries/describe-delivery.ts";
import { formatElapsed } from "../format-duration.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { sentence } from "../sentence.ts";
import { useApi } from "../use-api.ts";
import { Button } from "./button.tsx";
import { factLink } from "./fact.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { StatusBadge } from "./status-badge.tsx";

export interface PingResultProps {
  deliveryId: string;
  app: NonNullable<Surroundings["app"]>;
  onHide: () => void;
}

export function PingResult({ deliveryId, app, onHide }: PingResultProps) {
  const api = useApi();
  const { data: delivery, error } = useQuery(deliveryQuery(api, deliveryId));
  useLiveQueries(deliveryQuery(api, deliveryId).queryKey, isOfDeliveries);
  if (error !== null && delivery === undefined) return <ProblemNotice error={error} />;
  if (delivery === undefined) return null;
  const [last] = delivery.attempts;
  let words: ReactNode;
  if (delivery.state === "delivered") {
    const took = last === undefined ? "" : ` in ${formatElapsed(last.duration_ms)}`;
    words = `It answered ${delivery.status_code ?? ""}${took}.`;
  } else if (delivery.error !== null) words = sentence(delivery.error.message);
  else if (delivery.state === "sending") words = "Waiting for its answer.";
  else words = whyWaiting(delivery, { app, watch: undefined }, new Date()).words;
  return (
    <section
      aria-label="Test of the endpoint"
      className="flex items-start gap-3 rounded-lg border border-line bg-surface py-2 pr-2 pl-4 text-sm shadow-card"
    >
      <div className="flex min-h-8 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
        <StatusBadge status={delivery.state} />
        <p role="status" className="min-w-0 break-words">
          {words}
        </p>
        <Link to="/deliveries/$id" params={{ id: deliveryId }} className={factLink}>
          See request and answer
        </Link>
      </div>
      <Button look="ghost" className="size-8" aria-label="Hide the test" onClick={onHide}>
        <X className="size-4" aria-hidden />
      </Button>
    </section>
  );
}
