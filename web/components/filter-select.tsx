// One of many values that narrows a list down; chosen at once.
import type { SelectOption } from "./select-field.tsx";

export interface FilterSelectProps {
  label: string;
  /** What stands for all of them. */
  allWords: string;
  value: string | undefined;
  options: readonly SelectOption[];
  onChoose: (value: string | undefined) => void;
}

export function FilterSelect({ label, allWords, value, options, onChoose }: FilterSelectProps) {
  const isKnown = value === undefined || options.some((option) => option.value === value);
  return (
    <label className="max-sm:w-[calc(50%-0.375rem)]">
      <span className="sr-only">{label}</span>
      <select
        value={value ?? ""}
        data-chosen={value !== undefined}
        onChange={(event) => onChoose(event.target.value || undefined)}
        className="h-8 max-w-48 rounded-md border border-line-strong bg-surface px-2 text-sm shadow-card hover:border-ink-faint focus-visible:border-accent focus-visible:outline-offset-0 data-[chosen=true]:border-accent max-sm:h-9 max-sm:w-full max-sm:max-w-none max-sm:text-lg"
      >
        <option value="">{allWords}</option>
        {!isKnown && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.words}
          </option>
        ))}
      </select>
    </label>
  );
}
