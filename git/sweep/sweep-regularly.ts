// Sweeps at once and then again and again, without keeping the process alive and without two sweeps at a time.
import type { SweepReport } from "./sweep-report.ts";

export interface RegularSweep {
  /** Resolves when none runs any more. */
  stop(): Promise<void>;
}

export function sweepRegularly(
  sweep: () => Promise<SweepReport>,
  everyMs: number,
  onReport: (report: string) => void,
): RegularSweep {
  let known = new Set<string>();
  let running: Promise<void> | undefined;
  const turn = async () => {
    try {
      const { kept, failed } = await sweep();
      const said = [
        ...kept.map(({ path, reason }) => `sweep kept '${path}': ${reason}`),
        ...failed.map(({ path, reason }) => `sweep could not remove '${path}': ${reason}`),
      ];
      for (const text of said) if (!known.has(text)) onReport(text); // not the same every minute
      known = new Set(said);
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
