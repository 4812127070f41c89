// A button, with its looks and its busy state.
import { LoaderCircle } from "lucide-react";
import type { ComponentProps } from "react";

const looks = {
  primary: "bg-primary text-on-primary hover:bg-primary-hover",
  secondary: "border border-line-strong bg-surface text-ink shadow-card hover:bg-hover",
  ghost: "text-ink-soft hover:bg-hover hover:text-ink",
  danger: "bg-danger text-on-danger hover:bg-danger-hover",
} as const;

export interface ButtonProps extends ComponentProps<"button"> {
  look?: keyof typeof looks;
  /** Shows a spinner and ignores presses; stays focusable, so that the focus is not lost. */
  busy?: boolean;
}

export function Button({
  look = "secondary",
  busy = false,
  className = "h-8 px-3",
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      aria-busy={busy}
      aria-disabled={busy}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={`inline-flex shrink-0 select-none items-center justify-center gap-2 rounded-md font-medium text-sm whitespace-nowrap transition-colors aria-disabled:opacity-70 disabled:cursor-default disabled:opacity-45 ${looks[look]} ${className}`}
      {...rest}
    >
      {busy && <LoaderCircle className="size-4 animate-spin" aria-hidden />}
      {children}
    </button>
  );
}
