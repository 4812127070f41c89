// Gives an app a credential, or puts another value in the place of one.
import type { Credential, CredentialKind, NewCredential } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { body } from "../api.ts";
import { credentialsKey } from "../apps/app-query.ts";
import type { Exact } from "../defined-only.ts";
import { fieldMistake } from "../field-mistake.ts";
import { useApi } from "../use-api.ts";
import { Field } from "./field.tsx";
import { FormDialog, textOf } from "./form-dialog.tsx";
import { PasswordField } from "./password-field.tsx";
import { SelectField } from "./select-field.tsx";
import { TextAreaField } from "./text-area-field.tsx";

export interface CredentialDialogProps {
  appId: string;
  /** Address and user name stay: watches go on with the new value. */
  replaced?: Credential;
  onClose: () => void;
}

const kinds = [
  { value: "token", words: "Token" },
  { value: "basic", words: "User name and password" },
  { value: "ssh-key", words: "SSH key" },
  { value: "github-app", words: "Installation of the GitHub App" },
] as const satisfies readonly { value: CredentialKind; words: string }[];
const fields = ["kind", "url", "username", "value", "check_url", "expires_at"] as const;

export function CredentialDialog({ appId, replaced, onClose }: CredentialDialogProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const [kind, setKind] = useState<CredentialKind>(replaced?.kind ?? "token");
  const put = useMutation({
    mutationFn: (input: Exact<NewCredential>) =>
      body(api.POST("/api/credentials", { body: input })),
    // The value is not remembered after the window is closed.
    gcTime: 0,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: credentialsKey(appId) });
      onClose();
    },
  });
  const mistakeOf = (field: (typeof fields)[number]) => fieldMistake(put.error, field);
  const submit = (values: FormData) => {
    const username = replaced?.username ?? textOf(values, "username");
    const expires = textOf(values, "expires_at");
    const check = textOf(values, "check_url");
    put.mutate({
      ...{ app: appId, kind, url: replaced?.url ?? textOf(values, "url") },
      value: readValue(values, kind),
      ...(username === "" ? {} : { username }),
      ...(check === "" ? {} : { check_url: check }),
      ...(expires === "" ? {} : { expires_at: endOfDay(expires) }),
    });
  };
  return (
    <FormDialog
      title={replaced === undefined ? "Add a credential" : "Replace the credential"}
      submitLabel={replaced === undefined ? "Add" : "Replace"}
      busy={put.isPending}
      error={put.error}
      fields={fields}
      onSubmit={submit}
      onClose={onClose}
    >
      {replaced === undefined ? (
        <Target kind={kind} onKind={setKind} mistakeOf={mistakeOf} />
      ) : (
        <p className="text-ink-soft">
          For <span className="break-all font-mono text-sm">{replaced.url}</span>, user{" "}
          <span className="break-all font-mono text-sm">{replaced.username}</span>. Watches go on
          with the new value.
        </p>
      )}
      <ValueField kind={kind} error={mistakeOf("value")} />
      <Field
        label="Try it with"
        name="check_url"
        autoComplete="off"
        spellCheck={false}
        placeholder={
          kind === "ssh-key" ? "ssh://github.com/owner/one" : "https://github.com/owner/one"
        }
        error={mistakeOf("check_url")}
        hint="A repository. Left empty, it is tried with what the app watches by it."
      />
      <Field
        label="Expires"
        name="expires_at"
        type="date"
        error={mistakeOf("expires_at")}
        hint="If it does: you are warned a week before."
      />
    </FormDialog>
  );
}

interface TargetProps {
  kind: CredentialKind;
  onKind: (kind: CredentialKind) => void;
  mistakeOf: (field: (typeof fields)[number]) => string | undefined;
}

function Target({ kind, onKind, mistakeOf }: TargetProps) {
  const usernames = {
    ...{ token: "x-access-token", basic: "", "ssh-key": "git" },
    "github-app": "x-access-token",
  } as const satisfies Record<CredentialKind, string>;
  return (
    <>
      <SelectField
        label="Kind"
        name="kind"
        value={kind}
        options={kinds}
        onChange={(event) => onKind(event.target.value as CredentialKind)}
        error={mistakeOf("kind")}
      />
      <Field
        label="For the address"
        name="url"
        autoComplete="off"
        spellCheck={false}
        placeholder={kind === "ssh-key" ? "ssh://github.com/owner" : "https://github.com/owner"}
        error={mistakeOf("url")}
        hint="A host, an owner or one repository: it is used for whatever is below."
      />
      <Field
        label="User name"
        name="username"
        autoComplete="off"
        spellCheck={false}
        placeholder={usernames[kind]}
        error={mistakeOf("username")}
        hint={kind === "basic" ? undefined : `Left empty it is ${usernames[kind]}.`}
      />
    </>
  );
}

interface ValueFieldProps {
  kind: CredentialKind;
  error: string | undefined;
}

function ValueField({ kind, error }: ValueFieldProps) {
  const hint = "Stored encrypted, and never shown again.";
  if (kind === "ssh-key") {
    return (
      <TextAreaField
        label="Private key"
        name="value"
        isCode
        rows={5}
        autoComplete="off"
        spellCheck={false}
        placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
        {...{ error, hint }}
      />
    );
  }
  if (kind === "github-app") {
    return <Field label="Installation id" name="value" inputMode="numeric" {...{ error }} />;
  }
  return (
    <PasswordField
      label={kind === "token" ? "Token" : "Password"}
      name="value"
      autoComplete="off"
      {...{ error, hint }}
    />
  );
}

/** A key is as it was written, with its line break at the end; what is pasted elsewhere has spaces by mistake. */
function readValue(values: FormData, kind: CredentialKind): string {
  const text = String(values.get("value") ?? "").replaceAll("\r\n", "\n");
  if (kind === "basic") return text;
  return kind === "ssh-key" ? `${text.trim()}\n` : text.trim();
}

function endOfDay(date: string): string {
  return new Date(`${date}T23:59:59`).toISOString();
}
