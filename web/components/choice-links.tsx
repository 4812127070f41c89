// Links side by side, of which one is chosen: the values of one filter.
import { Link, type LinkProps } from "@tanstack/react-router";
import { choice, choices } from "./filter-look.ts";

export interface Choice {
  words: string;
  link: LinkProps;
  isChosen: boolean;
}

export function ChoiceLinks({ label, options }: { label: string; options: readonly Choice[] }) {
  return (
    <nav aria-label={label} className={choices}>
      {options.map(({ words, link, isChosen }) => (
        <Link
          key={words}
          {...link}
          // Exact, else the router would take "All" for the current one always.
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={isChosen ? "true" : undefined}
          data-chosen={isChosen}
          className={choice}
        >
          {words}
        </Link>
      ))}
    </nav>
  );
}
