// Rows of a list that is still being fetched.
import { Skeleton } from "./skeleton.tsx";

export function ListSkeleton() {
  return (
    <div className="space-y-px overflow-hidden rounded-lg border border-line bg-surface shadow-card">
      {[1, 2, 3, 4, 5].map((row) => (
        <div key={row} className="flex items-center gap-4 px-4 py-3.5">
          <Skeleton className="h-6 w-20" />
          <Skeleton className="h-4 w-72 max-w-[50%]" />
        </div>
      ))}
    </div>
  );
}
