// A field of a generated form with all that is within it.
import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import {
  type Draft,
  empty,
  freshDraft,
  freshFields,
  newItem,
  type RecordEntry,
} from "../job-form/draft.ts";
import type { Mistakes } from "../job-form/read-draft.ts";
import type { Shape, Field as ShapedField } from "../job-form/shape.ts";
import { sentence } from "../sentence.ts";
import { Button } from "./button.tsx";
import { CodeText } from "./code-text.tsx";
import { Field } from "./field.tsx";
import { SelectField } from "./select-field.tsx";
import { ShapeLeaf } from "./shape-leaf.tsx";

export interface ShapeFieldProps {
  shape: Shape;
  label: string;
  isLabelHidden?: boolean;
  path: string;
  isRequired: boolean;
  mistakes: Mistakes;
  draft: Draft;
  onChange: (draft: Draft) => void;
}

type Of<T, K> = Extract<T, { kind: K }>;

/** A field whose shape and draft are of one kind. */
type PartProps<S extends Shape["kind"], D extends Draft["kind"]> = ShapeFieldProps & {
  shape: Of<Shape, S>;
  draft: Of<Draft, D>;
};

export function ShapeField(props: ShapeFieldProps) {
  const { shape, draft, onChange } = props;
  if (shape.kind === "constant") return null;
  if (shape.kind === "object" && draft.kind === "object") {
    return <ObjectField {...{ ...props, shape, draft }} />;
  }
  if (shape.kind === "list" && draft.kind === "list") {
    return <ListField {...{ ...props, shape, draft }} />;
  }
  if (shape.kind === "record" && draft.kind === "record") {
    return <RecordField {...{ ...props, shape, draft }} />;
  }
  if (shape.kind === "union" && draft.kind === "union") {
    return <UnionField {...{ ...props, shape, draft }} />;
  }
  const text = draft.kind === "text" ? draft.text : "";
  return (
    <ShapeLeaf {...props} text={text} onChange={(next) => onChange({ kind: "text", text: next })} />
  );
}

export interface ShapeFieldsProps {
  fields: readonly ShapedField[];
  path: string;
  mistakes: Mistakes;
  drafts: ReadonlyMap<string, Draft>;
  onChange: (drafts: ReadonlyMap<string, Draft>) => void;
}

/** The fields of an object, without anything round them. */
export function ShapeFields({ fields, path, mistakes, drafts, onChange }: ShapeFieldsProps) {
  return fields.map(({ name, shape, isRequired }) => (
    <ShapeField
      key={name}
      {...{ shape, isRequired, mistakes }}
      label={shape.title ?? name}
      path={`${path}.${name}`}
      draft={drafts.get(name) ?? empty}
      onChange={(draft) => onChange(new Map(drafts).set(name, draft))}
    />
  ));
}

function ObjectField(props: PartProps<"object", "object">) {
  const { shape, draft, path, mistakes, isRequired, label, onChange } = props;
  const set = (fields: ReadonlyMap<string, Draft> | undefined) =>
    onChange({ kind: "object", fields });
  if (draft.fields === undefined) {
    return (
      <Group {...props}>
        <AddButton label={`Set ${label}`} onClick={() => set(freshFields(shape.fields))} />
      </Group>
    );
  }
  return (
    <Group {...props}>
      <ShapeFields
        {...{ fields: shape.fields, path, mistakes, drafts: draft.fields }}
        onChange={set}
      />
      {!isRequired && (
        <Button look="ghost" onClick={() => set(undefined)}>
          Leave {label} out
        </Button>
      )}
    </Group>
  );
}

function ListField(props: PartProps<"list", "list">) {
  const { shape, draft, path, mistakes, label, onChange } = props;
  const { items } = draft;
  const set = (next: typeof items) => onChange({ kind: "list", items: next });
  return (
    <Group {...props}>
      {items.map((item, index) => (
        <Removable
          key={item.key}
          label={`${label} ${index + 1}`}
          onRemove={() => set(items.filter(({ key }) => key !== item.key))}
        >
          <ShapeField
            {...{ shape: shape.item, mistakes, isRequired: true, draft: item.draft }}
            label={`${label} ${index + 1}`}
            isLabelHidden
            path={`${path}.${index}`}
            onChange={(next) => set(changed(items, { ...item, draft: next }))}
          />
        </Removable>
      ))}
      {items.length < (shape.lengthMax ?? Number.POSITIVE_INFINITY) && (
        <AddButton label={`Add to ${label}`} onClick={() => set([...items, newItem(shape.item)])} />
      )}
    </Group>
  );
}

function RecordField(props: PartProps<"record", "record">) {
  const { shape, draft, path, mistakes, label, onChange } = props;
  const { entries } = draft;
  const set = (next: readonly RecordEntry[]) => onChange({ kind: "record", entries: next });
  return (
    <Group {...props}>
      {entries.map((entry, index) => (
        <Removable
          key={entry.key}
          label={`${label} ${entry.name || index + 1}`}
          onRemove={() => set(entries.filter(({ key }) => key !== entry.key))}
        >
          <div className="grid items-start gap-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
            <Field
              label={`Name ${index + 1} of ${label}`}
              isLabelHidden
              placeholder="Name"
              value={entry.name}
              {...{ autoComplete: "off", autoCapitalize: "none", spellCheck: false }}
              onChange={(event) => set(changed(entries, { ...entry, name: event.target.value }))}
            />
            <ShapeField
              {...{ shape: shape.value, mistakes, isRequired: true, draft: entry.draft }}
              label={`Value ${index + 1} of ${label}`}
              isLabelHidden
              path={`${path}.${entry.name}`}
              onChange={(next) => set(changed(entries, { ...entry, draft: next }))}
            />
          </div>
        </Removable>
      ))}
      <AddButton
        label={`Add to ${label}`}
        onClick={() => set([...entries, { ...newItem(shape.value), name: "" }])}
      />
    </Group>
  );
}

function UnionField(props: PartProps<"union", "union">) {
  const { shape, draft, path, mistakes, isRequired, label, onChange } = props;
  const option = shape.options[draft.chosen ?? -1];
  const hasField = option !== undefined && option.shape.kind !== "constant";
  const choose = (value: string) => {
    const chosen = value === "" ? undefined : Number(value);
    const next = shape.options[chosen ?? -1];
    const inner = next === undefined ? empty : freshDraft(next.shape, true);
    onChange({ kind: "union", chosen, draft: inner });
  };
  const options = shape.options.map(({ words }, index) => ({ value: String(index), words }));
  return (
    <div className="space-y-2">
      <SelectField
        label={isRequired ? label : `${label} (optional)`}
        hint={<CodeText>{sentence(shape.description ?? "")}</CodeText>}
        // The field below tells it otherwise.
        error={hasField ? undefined : mistakes.get(path)}
        value={String(draft.chosen ?? "")}
        options={isRequired ? options : [{ value: "", words: "Not set" }, ...options]}
        onChange={(event) => choose(event.target.value)}
      />
      {hasField && (
        <ShapeField
          {...{ mistakes, path, isRequired: true, draft: draft.draft }}
          // The choice has said it.
          shape={{ ...option.shape, description: undefined }}
          label={`${label}: ${option.words}`}
          isLabelHidden
          onChange={(next) => onChange({ ...draft, draft: next })}
        />
      )}
    </div>
  );
}

/** Several fields that belong together under one name. */
function Group(props: ShapeFieldProps & { children: ReactNode }) {
  const { shape, label, isLabelHidden = false, isRequired, mistakes, path, children } = props;
  const error = mistakes.get(path);
  return (
    <fieldset className="min-w-0 space-y-3 border-line border-l-2 pl-3">
      <legend className={isLabelHidden ? "sr-only" : "-ml-3.5 mb-1.5 font-medium text-sm"}>
        {isRequired ? label : `${label} (optional)`}
      </legend>
      {shape.description !== undefined && (
        <p className="text-ink-faint text-xs">
          <CodeText>{sentence(shape.description)}</CodeText>
        </p>
      )}
      {children}
      {error !== undefined && <p className="font-medium text-bad text-xs">{error}</p>}
    </fieldset>
  );
}

function changed<T extends { key: string }>(all: readonly T[], one: T): T[] {
  return all.map((each) => (each.key === one.key ? one : each));
}

interface RemovableProps {
  label: string;
  onRemove: () => void;
  children: ReactNode;
}

function Removable({ label, onRemove, children }: RemovableProps) {
  return (
    <div className="flex items-start gap-1">
      <div className="min-w-0 flex-1">{children}</div>
      <Button
        look="ghost"
        className="mt-1 size-8"
        aria-label={`Remove ${label}`}
        onClick={onRemove}
      >
        <X className="size-4" aria-hidden />
      </Button>
    </div>
  );
}

function AddButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button aria-label={label} onClick={onClick}>
      <Plus className="size-4" aria-hidden />
      {label.startsWith("Set") ? "Set" : "Add"}
    </Button>
  );
}
