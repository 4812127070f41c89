// Watches a repository for an app, or changes how it is watched.
import type { NewWatch, Watch, WatchChange } from "@croft/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { body } from "../api.ts";
import { appsKey, credentialsQuery } from "../apps/app-query.ts";
import { useAppNames } from "../apps/use-app-names.ts";
import type { Exact } from "../defined-only.ts";
import { fieldMistake } from "../field-mistake.ts";
import { globsOf, linesOf } from "../repositories/glob-lines.ts";
import { watchesKey } from "../repositories/watch-query.ts";
import { useApi } from "../use-api.ts";
import { Field } from "./field.tsx";
import { FormDialog, textOf } from "./form-dialog.tsx";
import { SelectField } from "./select-field.tsx";
import { TextAreaField } from "./text-area-field.tsx";

const fields = ["app", "url", "ref", "credential", "include", "exclude", "poll"] as const;

export interface NewWatchDialogProps {
  /** For whom, where that is known already. */
  appId?: string | undefined;
  onMade: (watch: Watch) => void;
  onClose: () => void;
}

export function NewWatchDialog({ appId, onMade, onClose }: NewWatchDialogProps) {
  const api = useApi();
  const names = useAppNames() ?? [];
  const [chosen, setChosen] = useState(appId);
  const app = chosen ?? names[0]?.id ?? "";
  const save = useSave(
    (input: Exact<NewWatch>) => body(api.POST("/api/repositories", { body: input })),
    onMade,
  );
  const submit = (values: FormData) => {
    const { ref, credential, poll, ...filters } = readFields(values);
    save.mutate({
      ...{ app, url: textOf(values, "url"), ...filters },
      ...(ref === null ? {} : { ref }),
      ...(credential === null ? {} : { credential }),
      ...(poll === null ? {} : { poll }),
    });
  };
  return (
    <FormDialog
      title="Watch a repository"
      submitLabel="Watch"
      busy={save.isPending}
      error={save.error}
      fields={fields}
      onSubmit={submit}
      onClose={onClose}
    >
      {appId === undefined && (
        <SelectField
          label="For the app"
          value={app}
          onChange={(event) => setChosen(event.target.value)}
          options={names.map(({ id, name }) => ({ value: id, words: name }))}
          error={fieldMistake(save.error, "app")}
        />
      )}
      <Field
        label="Repository"
        name="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://github.com/owner/repository"
        error={fieldMistake(save.error, "url")}
        hint="An https or ssh address. It is tried at once."
      />
      <WatchFields app={app} error={save.error} />
    </FormDialog>
  );
}

export interface EditWatchDialogProps {
  watch: Watch;
  onClose: () => void;
}

export function EditWatchDialog({ watch, onClose }: EditWatchDialogProps) {
  const api = useApi();
  const params = { path: { id: watch.id } };
  const save = useSave(
    (change: Exact<WatchChange>) =>
      body(api.PATCH("/api/repositories/{id}", { params, body: change })),
    onClose,
  );
  const submit = (values: FormData) => {
    const { credential, ...rest } = readFields(values);
    // The same again would be tried at the remote for nothing.
    save.mutate({ ...rest, ...(credential === watch.credential ? {} : { credential }) });
  };
  return (
    <FormDialog
      title="Change the watch"
      submitLabel="Save"
      busy={save.isPending}
      error={save.error}
      fields={fields}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-ink-soft">
        The app is then told the difference between what it has and what it should have, deletions
        included.
      </p>
      <WatchFields app={watch.app} watch={watch} error={save.error} />
    </FormDialog>
  );
}

function useSave<T>(save: (input: T) => Promise<Watch>, onSaved: (watch: Watch) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: save,
    onSuccess: async (watch) => {
      await queryClient.invalidateQueries({ queryKey: watchesKey });
      await queryClient.invalidateQueries({ queryKey: appsKey, refetchType: "none" });
      onSaved(watch);
    },
  });
}

interface WatchFieldsProps {
  app: string;
  watch?: Watch;
  error: unknown;
}

function WatchFields({ app, watch, error }: WatchFieldsProps) {
  const mistakeOf = (field: (typeof fields)[number]) => fieldMistake(error, field);
  const globs = { isCode: true, rows: 2, spellCheck: false, autoCapitalize: "none" } as const;
  return (
    <>
      <Field
        label="Branch or tag"
        name="ref"
        defaultValue={watch?.ref ?? ""}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="the default branch"
        error={mistakeOf("ref")}
      />
      {app !== "" && (
        <CredentialField
          app={app}
          chosen={watch?.credential ?? ""}
          error={mistakeOf("credential")}
        />
      )}
      <TextAreaField
        label="Only these files"
        name="include"
        defaultValue={linesOf(watch?.include ?? [])}
        placeholder="docs/**"
        error={mistakeOf("include")}
        hint="One pattern a line; none means all."
        {...globs}
      />
      <TextAreaField
        label="Not these files"
        name="exclude"
        defaultValue={linesOf(watch?.exclude ?? [])}
        placeholder="**/*.png"
        error={mistakeOf("exclude")}
        {...globs}
      />
      <Field
        label="Looked at every (seconds)"
        name="poll"
        type="number"
        inputMode="numeric"
        min={5}
        max={604_800}
        defaultValue={watch?.poll ?? ""}
        placeholder="as the server is set"
        error={mistakeOf("poll")}
      />
    </>
  );
}

interface CredentialFieldProps {
  app: string;
  chosen: string;
  error: string | undefined;
}

function CredentialField({ app, chosen, error }: CredentialFieldProps) {
  const { data } = useQuery(credentialsQuery(useApi(), app));
  const options = (data?.credentials ?? []).map(({ id, url, username }) => ({
    value: id,
    words: `${url} (${username})`,
  }));
  return (
    <SelectField
      // The options come later than the field; only a new one takes its default from them.
      key={`${app} ${data === undefined}`}
      label="Credential"
      name="credential"
      defaultValue={chosen}
      options={[{ value: "", words: "The one that fits best, or none" }, ...options]}
      error={error}
    />
  );
}

/** Empty fields are the defaults. */
function readFields(values: FormData) {
  const poll = textOf(values, "poll");
  return {
    ref: textOf(values, "ref") || null,
    credential: textOf(values, "credential") || null,
    include: globsOf(textOf(values, "include")),
    exclude: globsOf(textOf(values, "exclude")),
    poll: poll === "" ? null : Number(poll),
  };
}
