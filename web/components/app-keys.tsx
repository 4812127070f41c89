// The tokens and signing secrets of an app: which are valid until when, another one, and the end of one.
import type { AppDetail, AppKey } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { KeyRound, PenLine, RefreshCw } from "lucide-react";
import { useState } from "react";
import { body } from "../api.ts";
import { appQuery } from "../apps/app-query.ts";
import { fieldMistake } from "../field-mistake.ts";
import { shortId } from "../jobs/describe-job.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { KeyOnce } from "./key-once.tsx";
import { Panel } from "./panel.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { SelectField } from "./select-field.tsx";

type Kind = "token" | "signing-secret";

const faces = {
  token: {
    title: "Tokens",
    one: "Token",
    icon: KeyRound,
    hint: "For its requests: Authorization: Bearer …",
    none: "None is valid: nobody can ask in its name until it gets one.",
    rotation: "The app gets another token. Until the old one ends, both work.",
    revocation: "Whoever asks with it is refused at once, and streams it opened end.",
  },
  "signing-secret": {
    title: "Signing secrets",
    one: "Signing secret",
    icon: PenLine,
    hint: "To check that a delivery comes from here.",
    none: "None is valid: nothing can be sent to it.",
    rotation: "Deliveries are signed with another secret. Until the old one ends, both sign.",
    revocation: "Nothing is signed with it any more: a receiver that knows only this one refuses.",
  },
} as const;

export function AppKeys({ app, kind }: { app: AppDetail; kind: Kind }) {
  const [isRotating, setIsRotating] = useState(false);
  const [revoked, setRevoked] = useState<AppKey>();
  // Here only: neither the cache nor the address ever has it.
  const [made, setMade] = useState<string>();
  const mayChange = useMayChange();
  const { title, one, icon, hint, none } = faces[kind];
  const keys = kind === "token" ? app.tokens : app.signing_secrets;
  // The last signing secret cannot be taken: nothing could be sent.
  const mayRevoke = mayChange && (kind === "token" || keys.length > 1);
  return (
    <Panel
      title={title}
      icon={icon}
      aside={
        mayChange && (
          <Button look="ghost" className="-mr-2 h-7 px-2" onClick={() => setIsRotating(true)}>
            <RefreshCw className="size-3.5" aria-hidden />
            Rotate
          </Button>
        )
      }
    >
      {keys.length === 0 && <p className="text-ink-soft text-sm">{none}</p>}
      <ul aria-label={title} className="-my-2 divide-y divide-line text-sm">
        {keys.map((key) => (
          <li key={key.id} className="flex min-h-11 flex-wrap items-center gap-x-3 py-1.5">
            <span className="min-w-0 flex-1">
              <code className="font-mono text-xs">…{shortId(key.id)}</code>
              <span className="block text-ink-faint text-xs">
                Made <RelativeTime time={key.created_at} isPast />
                {key.expires_at !== null && (
                  <span className="text-warn">
                    , ends <RelativeTime time={key.expires_at} />
                  </span>
                )}
              </span>
            </span>
            {mayRevoke && (
              <Button
                look="ghost"
                className="h-7 px-2"
                aria-label={`Revoke ${one.toLowerCase()} ${shortId(key.id)}`}
                onClick={() => setRevoked(key)}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isRotating && (
        <Rotation
          {...{ app, kind }}
          onMade={(key) => {
            setIsRotating(false);
            setMade(key);
          }}
          onClose={() => setIsRotating(false)}
        />
      )}
      {made !== undefined && (
        <KeyOnce name={one} hint={hint} value={made} onClose={() => setMade(undefined)} />
      )}
      {revoked !== undefined && (
        <Revocation {...{ app, kind }} keyId={revoked.id} onClose={() => setRevoked(undefined)} />
      )}
    </Panel>
  );
}

const hourMs = 3_600_000;
const periods = [
  { value: 24 * hourMs, words: "24 hours" },
  { value: 7 * 24 * hourMs, words: "7 days" },
  { value: 30 * 24 * hourMs, words: "30 days" },
  { value: hourMs, words: "1 hour" },
  { value: 0, words: "Not at all: it ends at once" },
].map(({ value, words }) => ({ value: String(value), words }));

interface RotationProps {
  app: AppDetail;
  kind: Kind;
  onMade: (key: string) => void;
  onClose: () => void;
}

function Rotation({ app, kind, onMade, onClose }: RotationProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const params = { path: { id: app.id } };
  const rotate = useMutation({
    // Answers with nothing: what a mutation answers is remembered.
    mutationFn: async (oldValidMs: number) => {
      const request = { params, body: { old_valid_ms: oldValidMs } };
      const made =
        kind === "token"
          ? (await body(api.POST("/api/apps/{id}/rotate-token", request))).token
          : (await body(api.POST("/api/apps/{id}/rotate-signing-secret", request))).signing_secret;
      await queryClient.invalidateQueries({ queryKey: appQuery(api, app.id).queryKey });
      onMade(made);
    },
  });
  return (
    <FormDialog
      title={`Rotate the ${faces[kind].one.toLowerCase()}?`}
      submitLabel="Rotate"
      busy={rotate.isPending}
      error={rotate.error}
      fields={["old_valid_ms"]}
      onSubmit={(values) => rotate.mutate(Number(values.get("old_valid_ms")))}
      onClose={onClose}
    >
      <p className="text-ink-soft">
        {faces[kind].rotation} If there are two already, the oldest ends now.
      </p>
      <SelectField
        label="The old one stays valid for"
        name="old_valid_ms"
        options={periods}
        error={fieldMistake(rotate.error, "old_valid_ms")}
      />
    </FormDialog>
  );
}

interface RevocationProps {
  app: AppDetail;
  kind: Kind;
  keyId: string;
  onClose: () => void;
}

function Revocation({ app, kind, keyId, onClose }: RevocationProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const { id } = app;
  const revoke = useMutation({
    mutationFn: () =>
      kind === "token"
        ? api.DELETE("/api/apps/{id}/tokens/{token}", { params: { path: { id, token: keyId } } })
        : api.DELETE("/api/apps/{id}/signing-secrets/{secret}", {
            params: { path: { id, secret: keyId } },
          }),
    onSuccess: onClose,
    // Also after a failure: it may be gone already.
    onSettled: () => queryClient.invalidateQueries({ queryKey: appQuery(api, id).queryKey }),
  });
  return (
    <ConfirmDialog
      title={`Revoke the ${faces[kind].one.toLowerCase()} …${shortId(keyId)}?`}
      confirmLabel="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      {faces[kind].revocation}
    </ConfirmDialog>
  );
}
