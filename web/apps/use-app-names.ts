// Names of all apps, also of one that comes while the page is open. Undefined until they are known.
import type { Event } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";
import { appNamesQuery } from "./app-query.ts";

export function useAppNames() {
  const query = appNamesQuery(useApi());
  const { data } = useQuery(query);
  useLiveQueries(query.queryKey, isOfNames);
  return data;
}

function isOfNames({ type }: Event): boolean {
  return type.startsWith("app.");
}
