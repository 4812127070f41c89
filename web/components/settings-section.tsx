// A part of the settings: what it is on the left, what can be done on the right.
import { type ReactNode, useId } from "react";

export interface SettingsSectionProps {
  title: string;
  description: string;
  children: ReactNode;
}

export function SettingsSection({ title, description, children }: SettingsSectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-10 gap-y-4 border-line border-t py-7 first-of-type:border-t-0 first-of-type:pt-2 lg:grid-cols-[16rem_minmax(0,1fr)]"
    >
      <div>
        <h2 id={id} tabIndex={-1} className="font-medium">
          {title}
        </h2>
        <p className="mt-1 text-ink-soft text-sm">{description}</p>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
