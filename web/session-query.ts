// Who is signed in. Signed out is an answer like any other here, because every caller branches on it.
import type { CurrentSession } from "@croft/contract";
import { queryOptions } from "@tanstack/react-query";
import { type Api, body } from "./api.ts";
import { ProblemError } from "./problem-error.ts";

export const sessionKey = ["session"];

export function sessionQuery(api: Api) {
  return queryOptions({
    queryKey: sessionKey,
    queryFn: async ({ signal }): Promise<CurrentSession | null> => {
      try {
        return await body(api.GET("/api/session", { signal }));
      } catch (error) {
        if (isSignedOut(error)) return null;
        throw error;
      }
    },
  });
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ProblemError && error.code === "unauthenticated";
}
