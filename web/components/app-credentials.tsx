// How an app's watches reach private repositories: its credentials, without their values.
import type { Credential, Event } from "@croft/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeySquare, Plus } from "lucide-react";
import { useState } from "react";
import { credentialsKey, credentialsQuery } from "../apps/app-query.ts";
import { expiryOf } from "../apps/credential-expiry.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { useNow } from "../use-now.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { CredentialDialog } from "./credential-dialog.tsx";
import { Panel } from "./panel.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { Skeleton } from "./skeleton.tsx";

/** Add one, replace this one, or remove it. */
type Asked = { kind: "add" } | { kind: "replace" | "remove"; credential: Credential };

export function AppCredentials({ appId }: { appId: string }) {
  const { data, error } = useQuery(credentialsQuery(useApi(), appId));
  const [asked, setAsked] = useState<Asked>();
  const mayChange = useMayChange();
  useLiveQueries(credentialsKey(appId), isOfCredentials);
  const close = () => setAsked(undefined);
  return (
    <Panel
      title="Credentials"
      icon={KeySquare}
      aside={
        mayChange && (
          <Button look="ghost" className="-mr-2 h-7 px-2" onClick={() => setAsked({ kind: "add" })}>
            <Plus className="size-3.5" aria-hidden />
            Add
          </Button>
        )
      }
    >
      <div role="alert" className="empty:hidden">
        {error !== null && <ProblemNotice error={error} />}
      </div>
      {data === undefined ? (
        error === null && <Skeleton className="h-8 w-full" />
      ) : data.credentials.length === 0 ? (
        <p className="text-ink-soft text-sm">
          None. Public repositories need none; a private one needs a token, a password or an SSH
          key.
        </p>
      ) : (
        <ul aria-label="Credentials" className="-my-3 divide-y divide-line text-sm">
          {data.credentials.map((credential) => (
            <CredentialRow
              key={credential.id}
              credential={credential}
              onAsk={mayChange ? (kind) => setAsked({ kind, credential }) : undefined}
            />
          ))}
        </ul>
      )}
      {asked?.kind === "add" && <CredentialDialog appId={appId} onClose={close} />}
      {asked?.kind === "replace" && (
        <CredentialDialog appId={appId} replaced={asked.credential} onClose={close} />
      )}
      {asked?.kind === "remove" && (
        <Removal appId={appId} credential={asked.credential} onClose={close} />
      )}
    </Panel>
  );
}

/** The events tell of whom, but one question for all is cheaper than to know. */
function isOfCredentials({ type }: Event): boolean {
  return type.startsWith("credential.");
}

export const kindWords = {
  ...{ token: "Token", basic: "Password", "ssh-key": "SSH key" },
  "github-app": "GitHub App",
} as const;
const states = {
  unchecked: { words: "not used yet", look: "text-ink-faint" },
  working: { words: "works", look: "text-accent" },
  refused: { words: "refused by the remote", look: "text-bad" },
} as const;

interface CredentialRowProps {
  credential: Credential;
  onAsk: ((kind: "replace" | "remove") => void) | undefined;
}

function CredentialRow({ credential, onAsk }: CredentialRowProps) {
  const { url, kind, username, state, last_used_at } = credential;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="break-all font-medium">{url}</p>
        <p className="flex flex-wrap gap-x-2 text-ink-faint text-xs">
          <span>
            {kindWords[kind]} of <span className="break-all">{username}</span>
          </span>
          <span className={states[state].look}>{states[state].words}</span>
          {last_used_at !== null && (
            <span>
              used <RelativeTime time={last_used_at} isPast />
            </span>
          )}
          <Expiry credential={credential} />
        </p>
      </div>
      {onAsk !== undefined && (
        <span className="-mr-2 flex">
          <Button
            look="ghost"
            className="h-7 px-2"
            aria-label={`Replace the credential for ${url}`}
            onClick={() => onAsk("replace")}
          >
            Replace
          </Button>
          <Button
            look="ghost"
            className="h-7 px-2"
            aria-label={`Remove the credential for ${url}`}
            onClick={() => onAsk("remove")}
          >
            Remove
          </Button>
        </span>
      )}
    </li>
  );
}

const renewMs = 60_000;

function Expiry({ credential }: { credential: Credential }) {
  const expiry = expiryOf(credential, useNow(renewMs));
  if (credential.expires_at === null) return null;
  const look = { none: "", later: "", soon: "font-medium text-warn", over: "font-medium text-bad" };
  return (
    <span className={look[expiry]}>
      {expiry === "over" ? "expired" : "expires"} <RelativeTime time={credential.expires_at} />
    </span>
  );
}

interface RemovalProps {
  appId: string;
  credential: Credential;
  onClose: () => void;
}

function Removal({ appId, credential, onClose }: RemovalProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      api.DELETE("/api/credentials/{id}", { params: { path: { id: credential.id } } }),
    onSuccess: onClose,
    onSettled: () => queryClient.invalidateQueries({ queryKey: credentialsKey(appId) }),
  });
  return (
    <ConfirmDialog
      title="Remove this credential?"
      confirmLabel="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Repositories below <span className="break-all font-mono text-sm">{credential.url}</span> are
      then reached without it. Watches that need it fail, and nothing of them is sent until they
      have another.
    </ConfirmDialog>
  );
}
