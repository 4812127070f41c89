// The frame of the pages that are seen before signing in.
import type { ReactNode } from "react";
import { FieldPlan } from "./field-plan.tsx";
import { Logo } from "./logo.tsx";

export interface AuthLayoutProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
}

export function AuthLayout({ title, description, children }: AuthLayoutProps) {
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(30rem,1fr)_1.1fr]">
      <title>{`${title} · Croft`}</title>
      <main className="flex flex-col px-6 py-8 lg:px-12">
        <div className="flex items-center gap-2.5">
          <Logo className="size-7" />
          <span className="font-semibold text-lg tracking-tight">Croft</span>
        </div>
        <div className="mx-auto my-auto w-full max-w-sm py-10">
          <h1 tabIndex={-1} className="font-semibold text-2xl tracking-tight">
            {title}
          </h1>
          {description !== undefined && <p className="mt-2 text-ink-soft">{description}</p>}
          <div className="mt-7">{children}</div>
        </div>
      </main>
      <div className="relative overflow-hidden border-line border-l bg-surface max-lg:hidden">
        <div className="absolute inset-0">
          <FieldPlan />
        </div>
      </div>
    </div>
  );
}
