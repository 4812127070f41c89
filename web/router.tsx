// The pages and their addresses. Everything under `app` needs a session.
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import type { Api } from "./api.ts";
import { appSearch, bulkSearch } from "./apps/app-search.ts";
import { assetSearch } from "./assets/asset-search.ts";
import { Pending } from "./components/pending.tsx";
import { Shell } from "./components/shell.tsx";
import { deliverySearch } from "./deliveries/delivery-search.ts";
import { githubSearch } from "./github/github-search.ts";
import { newJobSearch } from "./job-form/new-job-search.ts";
import { jobSearch } from "./jobs/job-search.ts";
import type { EventChannel } from "./live/event-channel.ts";
import { AppPage } from "./pages/app.tsx";
import { AppsPage } from "./pages/apps.tsx";
import { AssetPage } from "./pages/asset.tsx";
import { AssetsPage } from "./pages/assets.tsx";
import { DeliveriesPage } from "./pages/deliveries.tsx";
import { DeliveryPage } from "./pages/delivery.tsx";
import { FailurePage, StandaloneFailurePage } from "./pages/failure.tsx";
import { GithubPage } from "./pages/github.tsx";
import { GithubEventPage } from "./pages/github-event.tsx";
import { GithubInstallationPage } from "./pages/github-installation.tsx";
import { JobPage } from "./pages/job.tsx";
import { JobsPage } from "./pages/jobs.tsx";
import { LoginPage } from "./pages/login.tsx";
import { NewAppPage } from "./pages/new-app.tsx";
import { NewJobPage } from "./pages/new-job.tsx";
import { NotFoundPage } from "./pages/not-found.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { QueuePage } from "./pages/queue.tsx";
import { RepositoriesPage } from "./pages/repositories.tsx";
import { RepositoryPage } from "./pages/repository.tsx";
import { RunPage } from "./pages/run.tsx";
import { RunsPage } from "./pages/runs.tsx";
import { SettingsPage } from "./pages/settings.tsx";
import { SetupPage } from "./pages/setup.tsx";
import { WorkersPage } from "./pages/workers.tsx";
import { parsePlainSearch, writePlainSearch } from "./plain-search.ts";
import { laneSearch } from "./queue/queue-query.ts";
import { fileSearch, watchSearch } from "./repositories/watch-search.ts";
import { runsSearch, stepSearch } from "./runs/run-search.ts";
import { safeRedirect } from "./safe-redirect.ts";
import { sessionQuery } from "./session-query.ts";
import { useFocusHeading } from "./use-focus-heading.ts";

export interface RouterContext {
  api: Api;
  queryClient: QueryClient;
  live: EventChannel;
  /** Of the link this tab was opened with. */
  setupToken: string | undefined;
}

const root = createRootRouteWithContext<RouterContext>()({ component: Root });

function Root() {
  useFocusHeading();
  return <Outlet />;
}

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  component: SetupPage,
  errorComponent: StandaloneFailurePage,
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  // The key is there also without a value: the router would pass the unchecked one on instead.
  validateSearch: (search): { redirect?: string | undefined } => ({
    redirect: safeRedirect(search["redirect"]),
  }),
  beforeLoad: async ({ context, search }) => {
    if ((await currentSession(context)) !== null) throw redirect({ href: search.redirect ?? "/" });
  },
  component: LoginPage,
  errorComponent: StandaloneFailurePage,
});

const app = createRoute({
  getParentRoute: () => root,
  id: "app",
  beforeLoad: async ({ context, location }) => {
    if ((await currentSession(context)) !== null) return;
    throw redirect({ to: "/login", search: { redirect: location.href } });
  },
  component: Shell,
  errorComponent: StandaloneFailurePage,
});

const overview = createRoute({ getParentRoute: () => app, path: "/", component: OverviewPage });

const jobs = createRoute({
  getParentRoute: () => app,
  path: "/jobs",
  validateSearch: jobSearch,
  component: JobsPage,
});

const job = createRoute({ getParentRoute: () => app, path: "/jobs/$id", component: JobPage });

const newJob = createRoute({
  getParentRoute: () => app,
  path: "/jobs/new",
  validateSearch: newJobSearch,
  component: NewJobPage,
});

const assets = createRoute({
  getParentRoute: () => app,
  path: "/assets",
  validateSearch: assetSearch,
  component: AssetsPage,
});

const asset = createRoute({
  getParentRoute: () => app,
  path: "/assets/$id",
  component: AssetPage,
});

const runs = createRoute({
  getParentRoute: () => app,
  path: "/runs",
  validateSearch: runsSearch,
  component: RunsPage,
});

const run = createRoute({
  getParentRoute: () => app,
  path: "/runs/$id",
  validateSearch: stepSearch,
  component: RunPage,
});

const queue = createRoute({
  getParentRoute: () => app,
  path: "/queue",
  validateSearch: laneSearch,
  component: QueuePage,
});

const workers = createRoute({
  getParentRoute: () => app,
  path: "/workers",
  component: WorkersPage,
});

const apps = createRoute({
  getParentRoute: () => app,
  path: "/apps",
  validateSearch: appSearch,
  component: AppsPage,
});

const newApp = createRoute({
  getParentRoute: () => app,
  path: "/apps/new",
  component: NewAppPage,
});

const oneApp = createRoute({
  getParentRoute: () => app,
  path: "/apps/$id",
  validateSearch: bulkSearch,
  component: AppPage,
});

const repositories = createRoute({
  getParentRoute: () => app,
  path: "/repositories",
  validateSearch: watchSearch,
  component: RepositoriesPage,
});

const repository = createRoute({
  getParentRoute: () => app,
  path: "/repositories/$id",
  validateSearch: fileSearch,
  component: RepositoryPage,
});

const deliveries = createRoute({
  getParentRoute: () => app,
  path: "/deliveries",
  validateSearch: deliverySearch,
  component: DeliveriesPage,
});

const delivery = createRoute({
  getParentRoute: () => app,
  path: "/deliveries/$id",
  component: DeliveryPage,
});

const github = createRoute({
  getParentRoute: () => app,
  path: "/github",
  validateSearch: githubSearch,
  component: GithubPage,
});

const githubInstallation = createRoute({
  getParentRoute: () => app,
  path: "/github/installations/$id",
  component: GithubInstallationPage,
});

const githubEvent = createRoute({
  getParentRoute: () => app,
  path: "/github/events/$id",
  component: GithubEventPage,
});

const settings = createRoute({
  getParentRoute: () => app,
  path: "/settings",
  component: SettingsPage,
});

/** Any other address, inside of the shell. */
const missing = createRoute({ getParentRoute: () => app, path: "$", component: NotFoundPage });

const routeTree = root.addChildren([
  setup,
  login,
  app.addChildren([
    ...[overview, jobs, job, newJob, runs, run, assets, asset, queue, workers],
    ...[apps, newApp, oneApp, repositories, repository, deliveries, delivery],
    ...[github, githubInstallation, githubEvent, settings, missing],
  ]),
]);

/** Asked once; again only when an answer said that the session is over. */
function currentSession({ api, queryClient }: RouterContext) {
  return queryClient.fetchQuery({ ...sessionQuery(api), staleTime: Number.POSITIVE_INFINITY });
}

/** A shorter wait looks calmer without a sign of waiting. */
const pendingMs = 300;

export function createAppRouter(context: RouterContext) {
  return createRouter({
    routeTree,
    context,
    defaultPendingComponent: Pending,
    defaultPendingMs: pendingMs,
    defaultErrorComponent: FailurePage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
    parseSearch: parsePlainSearch,
    stringifySearch: writePlainSearch,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
