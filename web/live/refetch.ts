// Fetches again what is shown, so that nothing of what comes back is older than the call.
import type { QueryClient, QueryKey } from "@tanstack/react-query";

export async function refetch(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  const fetching = queryClient.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" });
  const isFirst = fetching.some(({ state }) => state.data === undefined);
  await queryClient.invalidateQueries({ queryKey });
  // A first fetch was not begun anew but waited for: the server may have answered it before this was called.
  if (isFirst) await queryClient.invalidateQueries({ queryKey });
}
