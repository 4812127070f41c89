// Finds out whether there is an admin yet, which decides what the pages before signing in can offer.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { setupQuery } from "../setup-query.ts";
import { useApi } from "../use-api.ts";
import { AuthLayout } from "./auth-layout.tsx";
import { ProblemView } from "./problem-view.tsx";
import { Skeleton } from "./skeleton.tsx";

export interface SetupGateProps {
  title: string;
  /** Of the form that will most likely follow. */
  labels: readonly string[];
  children: (needed: boolean) => ReactNode;
}

export function SetupGate({ title, labels, children }: SetupGateProps) {
  const setup = useQuery(setupQuery(useApi()));
  if (setup.data !== undefined) return children(setup.data.needed);
  return (
    <AuthLayout title={title}>
      {setup.isError ? (
        <ProblemView
          error={setup.error}
          busy={setup.isFetching}
          onRetry={() => void setup.refetch()}
        />
      ) : (
        <div role="status" aria-label="Loading" className="space-y-4">
          {labels.map((label) => (
            <div key={label} className="space-y-1.5">
              <Skeleton className="h-5 w-20" />
              <Skeleton className="h-10 w-full" />
            </div>
          ))}
          <Skeleton className="h-10 w-full" />
        </div>
      )}
    </AuthLayout>
  );
}
