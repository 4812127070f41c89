// How an app is, in one word: what an admin should see first of it.
import type { App } from "@croft/contract";

/** `unreached`: it has no address, so it only asks. */
export type AppState = "ok" | "unreached" | "paused" | "failing" | "gone";

export function appState({ base_url, paused, endpoint }: App): AppState {
  if (base_url === null) return "unreached";
  if (endpoint.state === "gone") return "gone";
  if (paused) return "paused";
  return endpoint.state === "closed" || endpoint.failures > 0 ? "failing" : "ok";
}
