// How filters of a list look: links side by side of which one is chosen, and small fields.

export const choices = "flex gap-0.5 overflow-x-auto rounded-md bg-sunken p-0.5 max-sm:w-full";

export const choice =
  "flex h-7 items-center justify-center whitespace-nowrap rounded-sm px-2.5 text-ink-soft text-xs hover:text-ink data-[chosen=true]:bg-surface data-[chosen=true]:font-medium data-[chosen=true]:text-ink data-[chosen=true]:shadow-card max-sm:flex-1 max-sm:px-1.5 dark:data-[chosen=true]:bg-line-strong";

export const filterField =
  "h-8 w-28 rounded-md border border-line-strong bg-surface px-2.5 text-sm shadow-card placeholder:text-ink-faint hover:border-ink-faint focus-visible:border-accent focus-visible:outline-offset-0 max-sm:h-9 max-sm:w-full max-sm:text-lg [&:not(:placeholder-shown)]:border-accent";
