// Puts a text into the clipboard, and says that it did.
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

export interface CopyButtonProps {
  label: string;
  text: () => string;
  /** Shows the label, not the sign alone. */
  hasWords?: boolean;
}

const saidMs = 2_000;

export function CopyButton({ label, text, hasWords = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), saidMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const Icon = copied ? Check : Copy;
  const copy = () => void navigator.clipboard.writeText(text()).then(() => setCopied(true));
  if (hasWords) {
    return (
      <Button onClick={copy}>
        <Icon className={`size-4 ${copied ? "text-accent" : ""}`} aria-hidden />
        {copied ? "Copied" : label}
      </Button>
    );
  }
  return (
    <button
      type="button"
      aria-label={copied ? "Copied" : label}
      title={label}
      onClick={copy}
      className="grid size-8 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
    >
      <Icon className={`size-4 ${copied ? "text-accent" : ""}`} aria-hidden />
    </button>
  );
}
