// Takes the place of a page that threw: says what failed and offers another try.
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { PageHeader } from "../components/page-header.tsx";
import { ProblemView } from "../components/problem-view.tsx";

export function FailurePage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = async () => {
    await router.invalidate();
    reset();
  };
  return (
    <div className="mx-auto w-full max-w-6xl p-4">
      <PageHeader title="Something failed" />
      <ProblemView error={error} onRetry={() => void retry()} />
    </div>
  );
}
