// Chooses a step of a run, or an item of it. The choice is in the address.
import { Link } from "@tanstack/react-router";
import type { CSSProperties, ReactNode } from "react";

export interface StepLinkProps {
  runId: string;
  step: string;
  item?: string | null;
  isChosen?: boolean;
  className: string;
  style?: CSSProperties;
  children: ReactNode;
}

export function StepLink({ runId, step, item, isChosen = false, ...rest }: StepLinkProps) {
  return (
    <Link
      to="/runs/$id"
      params={{ id: runId }}
      search={{ step, item: item ?? undefined }}
      // The page stays; what was chosen takes the focus by itself.
      resetScroll={false}
      activeOptions={{ exact: true, includeSearch: true }}
      aria-current={isChosen ? "true" : undefined}
      data-chosen={isChosen}
      {...rest}
    />
  );
}
