// The way up from a thing to the list it is in.
import { Link, type LinkProps } from "@tanstack/react-router";

export function Breadcrumb({ link, children }: { link: LinkProps; children: string }) {
  return (
    <nav aria-label="Breadcrumb" className="mb-1 text-sm">
      <Link {...link} className="text-ink-faint hover:text-ink hover:underline">
        {children}
      </Link>
    </nav>
  );
}
