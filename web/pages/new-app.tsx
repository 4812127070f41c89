// Onboarding an app: what it is called and where it is reached, then its secrets, which are shown this once.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { body } from "../api.ts";
import { appsKey } from "../apps/app-query.ts";
import type { AppSecrets } from "../apps/app-secrets.ts";
import {
  AppFields,
  type AppMistakes,
  appFields,
  appMistakes,
  readAppFields,
} from "../components/app-fields.tsx";
import { AppSecretsView } from "../components/app-secrets-view.tsx";
import { Breadcrumb } from "../components/breadcrumb.tsx";
import { Button } from "../components/button.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { isUntold } from "../field-mistake.ts";
import { useApi } from "../use-api.ts";
import { useFocusInvalid } from "../use-focus-invalid.ts";

export function NewAppPage() {
  // In this component only: neither the cache nor the address ever has them.
  const [secrets, setSecrets] = useState<AppSecrets>();
  return (
    <>
      <Breadcrumb link={{ to: "/apps", search: {} }}>Apps</Breadcrumb>
      {secrets === undefined ? (
        <OnboardForm onDone={setSecrets} />
      ) : (
        <AppSecretsView secrets={secrets} />
      )}
    </>
  );
}

function OnboardForm({ onDone }: { onDone: (secrets: AppSecrets) => void }) {
  const api = useApi();
  const queryClient = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [mistakes, setMistakes] = useState<AppMistakes>({});
  const onboard = useMutation({
    // Answers with nothing: what a mutation answers is remembered.
    mutationFn: async (input: ReturnType<typeof readAppFields>) => {
      const made = await body(api.POST("/api/apps/onboard", { body: input }));
      await queryClient.invalidateQueries({ queryKey: appsKey, refetchType: "none" });
      const { id, name, token, signing_secret, base_url } = made;
      onDone({ id, name, token, signing_secret, base_url });
    },
  });
  useFocusInvalid(form, onboard.error ?? mistakes);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = readAppFields(new FormData(event.currentTarget));
    const found = appMistakes(input);
    setMistakes(found);
    onboard.reset();
    if (Object.keys(found).length === 0 && !onboard.isPending) onboard.mutate(input);
  };
  return (
    <>
      <PageHeader title="Onboard an app" />
      <form
        ref={form}
        onSubmit={submit}
        noValidate
        className="max-w-xl rounded-lg border border-line bg-surface shadow-card"
      >
        <div className="space-y-5 p-5">
          <AppFields mistakes={mistakes} error={onboard.error} />
          <div role="alert" className="empty:hidden">
            {isUntold(onboard.error, appFields) && <ProblemNotice error={onboard.error} />}
          </div>
        </div>
        <div className="flex items-center justify-end gap-4 border-line border-t bg-canvas px-5 py-3">
          <Link to="/apps" search={{}} className="text-ink-soft text-sm hover:text-ink">
            Cancel
          </Link>
          <Button type="submit" look="primary" busy={onboard.isPending}>
            Onboard
          </Button>
        </div>
      </form>
    </>
  );
}
