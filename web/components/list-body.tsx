// A list in all its states: being fetched, failed, empty, and there.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ListSkeleton } from "./list-skeleton.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { ProblemView } from "./problem-view.tsx";

export interface ListBodyProps<T> {
  query: UseQueryResult<T>;
  isEmpty: (data: T) => boolean;
  /** Takes the place of the list when there is nothing in it. */
  empty: ReactNode;
  children: (data: T) => ReactNode;
}

export function ListBody<T>({ query, isEmpty, empty, children }: ListBodyProps<T>) {
  const { data, error, isFetching, isPlaceholderData, refetch } = query;
  if (data === undefined) {
    if (error === null) return <ListSkeleton />;
    return <ProblemView error={error} busy={isFetching} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <div role="alert" className="mb-4 empty:hidden">
        {error !== null && <ProblemNotice error={error} />}
      </div>
      {isEmpty(data) && !isPlaceholderData ? empty : children(data)}
    </>
  );
}
