// The way to the next page of a list, and back to its beginning.
import { Link, type LinkProps } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";

export interface PageLinksProps {
  /** Undefined on the first page. */
  newest: LinkProps | undefined;
  /** Undefined on the last one. */
  older: LinkProps | undefined;
}

const look =
  "inline-flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-3 font-medium text-sm shadow-card hover:bg-hover";

export function PageLinks({ newest, older }: PageLinksProps) {
  if (newest === undefined && older === undefined) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex items-center justify-between">
      {newest === undefined ? (
        <span />
      ) : (
        <Link {...newest} className={look}>
          Newest
        </Link>
      )}
      {older !== undefined && (
        <Link {...older} className={look}>
          Older
          <ArrowRight className="size-4" aria-hidden />
        </Link>
      )}
    </nav>
  );
}
