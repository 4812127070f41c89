// Puts a text into the clipboard, and says that it did.
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";

export interface CopyButtonProps {
  label: string;
  text: () => string;
}

const saidMs = 2_000;

export function CopyButton({ label, text }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), saidMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      aria-label={copied ? "Copied" : label}
      title={label}
      onClick={() => void navigator.clipboard.writeText(text()).then(() => setCopied(true))}
      className="grid size-8 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
    >
      <Icon className={`size-4 ${copied ? "text-accent" : ""}`} aria-hidden />
    </button>
  );
}
