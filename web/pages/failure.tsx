// Takes the place of a page that threw: says what failed and offers another try.
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { AuthLayout } from "../components/auth-layout.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { ProblemView } from "../components/problem-view.tsx";

const title = "This page cannot be shown";

/** Inside of the shell, where the other pages stay reachable. */
export function FailurePage({ error, reset }: ErrorComponentProps) {
  const retry = useRetry(reset);
  return (
    <>
      <PageHeader title={title} />
      <ProblemView error={error} onRetry={retry} />
    </>
  );
}

/** Where the shell itself could not be shown. */
export function StandaloneFailurePage({ error, reset }: ErrorComponentProps) {
  const retry = useRetry(reset);
  return (
    <AuthLayout title={title}>
      <ProblemView error={error} onRetry={retry} />
    </AuthLayout>
  );
}

function useRetry(reset: () => void): () => void {
  const router = useRouter();
  return () => void router.invalidate().then(reset);
}
