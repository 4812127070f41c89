// A titled list that is a part of a page, with what can be done to it and the way to all of it.
import { type ReactNode, useId } from "react";

export interface ListSectionProps {
  title: string;
  /** At the end of the title's line. */
  aside?: ReactNode;
  children: ReactNode;
}

export function ListSection({ title, aside, children }: ListSectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <header className="mb-2 flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id={id} className="font-medium">
          {title}
        </h2>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm has-[form]:max-sm:w-full">
          {aside}
        </div>
      </header>
      {children}
    </section>
  );
}

/** In the place of a list that is empty: less than a whole page's. */
export function EmptyLine({ children }: { children: ReactNode }) {
  return (
    <p className="rounded-lg border border-line border-dashed px-4 py-6 text-center text-ink-soft text-sm text-balance">
      {children}
    </p>
  );
}
