// The API client of the router's context, for components.
import { rootRouteId, useRouteContext } from "@tanstack/react-router";
import type { Api } from "./api.ts";

export function useApi(): Api {
  return useRouteContext({ from: rootRouteId, select: (context) => context.api });
}
