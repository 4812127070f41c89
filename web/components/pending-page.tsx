// The page of one thing that is not there yet: it comes, or why it does not.
import { PageHeader } from "./page-header.tsx";
import { ProblemView } from "./problem-view.tsx";
import { Skeleton } from "./skeleton.tsx";

interface PendingPageProps {
  readonly title: string;
  readonly error: Error | null;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

export function PendingPage({ title, error, isFetching, refetch }: PendingPageProps) {
  return (
    <>
      <PageHeader title={title} />
      {error === null ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <ProblemView error={error} busy={isFetching} onRetry={() => void refetch()} />
      )}
    </>
  );
}
