// Sweeps at once and then again and again, without keeping the process alive and without two sweeps at a time.
import type { OnReport, ReportSubject } from "../report.ts";
import type { SweepReport } from "./sweep-report.ts";

export interface RegularSweep {
  /** Resolves when none runs any more. */
  stop(): Promise<void>;
}

export function sweepRegularly(
  sweep: () => Promise<SweepReport>,
  everyMs: number,
  onReport: OnReport,
): RegularSweep {
  let known = new Set<string>();
  let running: Promise<void> | undefined;
  const turn = async () => {
    try {
      const { kept, failed } = await sweep();
      const said = new Map<string, ReportSubject>([
        ...kept.map(({ path, reason }) => [`sweep kept '${path}': ${reason}`, { path }] as const),
        ...failed.map(
          ({ path, reason, subject }) =>
            [`sweep could not remove '${path}': ${reason}`, { ...subject, path }] as const,
        ),
      ]);
      for (const [text, subject] of said) {
        if (!known.has(text)) onReport(text, subject); // not the same every minute
      }
      known = new Set(said.keys());
    } catch (error) {
      onReport(`sweep failed: ${error instanceof Error ? error.message : error}`);
    }
  };
  const start = () => {
    running ??= turn().finally(() => {
      running = undefined;
    });
  };
  const timer = setInterval(start, everyMs);
  timer.unref();
  start();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
