// Changes an app, and shows it as it is then.
import type { AppChange } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { body } from "../api.ts";
import type { Exact } from "../defined-only.ts";
import { useApi } from "../use-api.ts";
import { appQuery, appsKey } from "./app-query.ts";

export function useChangeApp(id: string, onDone: () => void = () => {}) {
  const api = useApi();
  const queryClient = useQueryClient();
  const { queryKey } = appQuery(api, id);
  return useMutation({
    mutationFn: (change: Exact<AppChange>) =>
      body(api.PATCH("/api/apps/{id}", { params: { path: { id } }, body: change })),
    onSuccess: async (changed) => {
      // An answer that is older than this one must not come after it.
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, changed);
      await queryClient.invalidateQueries({ queryKey: appsKey, refetchType: "none" });
      onDone();
    },
  });
}
