// What to call an installation that an event mentions by its number.
import { useQuery } from "@tanstack/react-query";
import { useApi } from "../use-api.ts";
import { installationsQuery } from "./github-query.ts";
import { installationName } from "./installation-state.ts";

export function useInstallationNames(): (id: number) => string {
  const { data: installations = [] } = useQuery(installationsQuery(useApi()));
  const known = new Map(installations.map((each) => [each.id, installationName(each)]));
  return (id) => known.get(id) ?? String(id);
}
