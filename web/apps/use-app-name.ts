// What to call an app that something mentions by its id.
import { useQuery } from "@tanstack/react-query";
import { shortId } from "../jobs/describe-job.ts";
import { useApi } from "../use-api.ts";
import { appNamesQuery } from "./app-query.ts";

export function useAppNames(): (id: string) => string {
  const { data: names = [] } = useQuery(appNamesQuery(useApi()));
  const known = new Map(names.map(({ id, name }) => [id, name]));
  return (id) => known.get(id) ?? shortId(id);
}
