// Whether who is signed in may change things, or only look.
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "./session-query.ts";
import { useApi } from "./use-api.ts";

export function useMayChange(): boolean {
  const { data: session } = useQuery(sessionQuery(useApi()));
  return session?.admin.role === "admin";
}
