// The cache of what the API answered: fetched when shown, on focus and on request, never by a timer.
import { focusManager, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ProblemError } from "./problem-error.ts";
import { isSignedOut } from "./session-query.ts";

/** Focus and visibility often change together; what is younger than this is not fetched twice. */
const freshMs = 2_000;

export function createQueryClient(onSignedOut: () => void): QueryClient {
  // The library listens for visibility only, which misses the way back from a terminal beside the browser.
  focusManager.setEventListener((onFocus) => {
    const listener = () => onFocus();
    window.addEventListener("focus", listener);
    document.addEventListener("visibilitychange", listener);
    return () => {
      window.removeEventListener("focus", listener);
      document.removeEventListener("visibilitychange", listener);
    };
  });
  const onError = (error: Error) => {
    if (isSignedOut(error)) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { staleTime: freshMs, retry: mayRetry, retryDelay: 500 } },
  });
}

/** One more try where no answer came or the server says that it will pass; otherwise the page says so at once. */
function mayRetry(failures: number, error: Error): boolean {
  const passing = error instanceof ProblemError && [0, 502, 503, 504].includes(error.status);
  return passing && failures < 1;
}
