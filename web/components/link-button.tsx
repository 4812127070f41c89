// A link that looks like a button: it leads to where something is begun.
import { Link, type LinkProps } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";

const looks = {
  primary: "bg-primary text-on-primary hover:bg-primary-hover",
  secondary: "border border-line-strong bg-surface text-ink shadow-card hover:bg-hover",
} as const;

export interface LinkButtonProps {
  link: LinkProps;
  look?: keyof typeof looks;
  icon?: LucideIcon;
  children: string;
}

export function LinkButton({ link, look = "secondary", icon: Icon, children }: LinkButtonProps) {
  return (
    <Link
      {...link}
      className={`inline-flex h-8 shrink-0 items-center justify-center gap-2 whitespace-nowrap rounded-md px-3 font-medium text-sm transition-colors ${looks[look]}`}
    >
      {Icon !== undefined && <Icon className="size-4" aria-hidden />}
      {children}
    </Link>
  );
}
