// The fields of an app's form: for one that is onboarded, and for one that is changed.
import type { App } from "@croft/contract";
import { fieldMistake } from "../field-mistake.ts";
import { Field } from "./field.tsx";
import { textOf } from "./form-dialog.tsx";
import { TextAreaField } from "./text-area-field.tsx";

export const appFields = ["name", "base_url", "email", "description", "delivery_slots"] as const;

type AppField = (typeof appFields)[number];
export type AppMistakes = { [field in AppField]?: string };

export interface AppFieldsProps {
  /** What they begin with; without it they are empty. */
  app?: App | undefined;
  mistakes: AppMistakes;
  error: unknown;
}

export function AppFields({ app, mistakes, error }: AppFieldsProps) {
  const mistakeOf = (field: AppField) => mistakes[field] ?? fieldMistake(error, field);
  return (
    <>
      <Field
        label="Name"
        name="name"
        maxLength={100}
        defaultValue={app?.name ?? ""}
        autoComplete="off"
        placeholder="docs-site"
        error={mistakeOf("name")}
      />
      <Field
        label="Address"
        name="base_url"
        type="url"
        inputMode="url"
        maxLength={2048}
        defaultValue={app?.base_url ?? ""}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/croft"
        error={mistakeOf("base_url")}
        hint="Where deliveries go, by https. Without one the app only asks, and is told nothing."
      />
      <Field
        label="E-mail"
        name="email"
        type="email"
        maxLength={320}
        defaultValue={app?.email ?? ""}
        autoComplete="off"
        placeholder="team@example.com"
        error={mistakeOf("email")}
        hint="Who is asked when something is wrong with it."
      />
      <TextAreaField
        label="Description"
        name="description"
        maxLength={2000}
        defaultValue={app?.description ?? ""}
        error={mistakeOf("description")}
        hint="What it is for; you may leave it empty."
      />
      {app !== undefined && (
        <Field
          label="Requests at a time"
          name="delivery_slots"
          type="number"
          inputMode="numeric"
          min={1}
          max={slotsMax}
          defaultValue={app.delivery_slots}
          error={mistakeOf("delivery_slots")}
          hint="How many deliveries may be on their way to it at once."
        />
      )}
    </>
  );
}

const slotsMax = 64;

/** What the fields say. */
export function readAppFields(values: FormData) {
  const address = textOf(values, "base_url");
  return {
    name: textOf(values, "name"),
    base_url: address === "" ? null : address,
    email: textOf(values, "email"),
    description: String(values.get("description") ?? "")
      .replaceAll("\r\n", "\n")
      .trim(),
    delivery_slots: Number(values.get("delivery_slots") ?? 4),
  };
}

/** What can be told without asking the server; the server checks again. */
export function appMistakes(input: ReturnType<typeof readAppFields>): AppMistakes {
  const mistakes: AppMistakes = {};
  if (input.name === "") mistakes.name = "Give it a name.";
  if (!/^[^\s@]+@[^\s@]+$/.test(input.email)) mistakes.email = "Enter an address like name@host.";
  if (input.base_url !== null && !URL.canParse(input.base_url)) {
    mistakes.base_url = "Enter an address like https://example.com/croft.";
  }
  const slots = input.delivery_slots;
  if (!Number.isInteger(slots) || slots < 1 || slots > slotsMax) {
    mistakes.delivery_slots = `A whole number from 1 to ${slotsMax}.`;
  }
  return mistakes;
}
