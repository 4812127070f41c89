// A text that narrows a list down: applied by Enter and when it is left, so that half a word is not searched for.
import { type FormEvent, useRef } from "react";
import { filterField } from "./filter-look.ts";

export interface FilterTextProps {
  label: string;
  value: string | undefined;
  /** Where several stand side by side. */
  isNarrow?: boolean;
  onApply: (value: string | undefined) => void;
}

/** Give it the value as its key: a change from elsewhere (back, a link) makes a new field with the new value. */
export function FilterText({ label, value, isNarrow = false, onApply }: FilterTextProps) {
  const input = useRef<HTMLInputElement>(null);
  const apply = (event?: FormEvent) => {
    event?.preventDefault();
    const wanted = input.current?.value.trim() || undefined;
    if (wanted !== value) onApply(wanted);
  };
  return (
    <form
      onSubmit={apply}
      onBlur={() => apply()}
      className={isNarrow ? "max-sm:w-[calc(50%-0.375rem)]" : "max-sm:w-full"}
    >
      <button type="submit" hidden aria-hidden tabIndex={-1} />
      <label>
        <span className="sr-only">{label}</span>
        <input
          ref={input}
          defaultValue={value ?? ""}
          placeholder={label}
          maxLength={200}
          spellCheck={false}
          autoCapitalize="none"
          className={`${filterField} ${isNarrow ? "" : "sm:w-48"}`}
        />
      </label>
    </form>
  );
}
