// A small sign that saves a file.
import { Download } from "lucide-react";

export function DownloadLink({ href, name }: { href: string; name: string }) {
  return (
    <a
      href={href}
      download
      aria-label={`Download ${name}`}
      title="Download"
      className="grid size-8 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
    >
      <Download className="size-4" aria-hidden />
    </a>
  );
}
