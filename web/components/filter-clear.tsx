// Takes all filters of a list away.
import { Link, type LinkProps } from "@tanstack/react-router";
import { X } from "lucide-react";

export function FilterClear({ link }: { link: LinkProps }) {
  return (
    <Link
      {...link}
      className="inline-flex h-8 items-center gap-1.5 rounded-md px-2 text-ink-soft text-sm hover:bg-hover hover:text-ink"
    >
      <X className="size-3.5" aria-hidden />
      Clear
    </Link>
  );
}
