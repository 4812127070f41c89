// Puts the dashboard together: the cache, the API client and the pages, which know each other only here.
import type { CurrentSession } from "@croft/contract";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createApi } from "./api.ts";
import { EventChannel } from "./live/event-channel.ts";
import { createQueryClient } from "./query-client.ts";
import { createAppRouter } from "./router.tsx";
import { sessionKey } from "./session-query.ts";

export interface AppProps {
  queryClient: QueryClient;
  router: ReturnType<typeof createAppRouter>;
}

export function App({ queryClient, router }: AppProps) {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}

export function assembleApp(setupToken: string | undefined): AppProps {
  const queryClient = createQueryClient(() => void checkSession());
  const api = createApi(
    () => queryClient.getQueryData<CurrentSession | null>(sessionKey)?.csrf_token,
  );
  // Refused, when the session is over: the shell asks who is signed in, and leads to the sign-in page.
  const live = new EventChannel(() => queryClient.invalidateQueries({ queryKey: sessionKey }));
  const router = createAppRouter({ api, queryClient, live, setupToken });

  /** An answer said that nobody is signed in: the guards ask again and lead to the sign-in page. */
  async function checkSession() {
    await queryClient.invalidateQueries({ queryKey: sessionKey, refetchType: "none" });
    await router.invalidate();
  }

  return { queryClient, router };
}
