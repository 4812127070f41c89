// Ends this browser's session and forgets what it had fetched.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { sessionKey } from "./session-query.ts";
import { useApi } from "./use-api.ts";

export function useSignOut() {
  const api = useApi();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => api.DELETE("/api/session"),
    onSuccess: async () => {
      queryClient.setQueryData(sessionKey, null);
      await navigate({ to: "/login" });
      queryClient.removeQueries({
        type: "inactive",
        predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0],
      });
    },
  });
}
