// Regular sweeps begin at once, never overlap, say each thing once, and survive a failure.
import { expect, test, vi } from "vitest";
import { sweepRegularly } from "./sweep-regularly.ts";
import type { SweepReport } from "./sweep-report.ts";

const NOTHING: SweepReport = { removed: [], kept: [], failed: [] };
const KEPT: SweepReport = { ...NOTHING, kept: [{ path: "/x", reason: "not ours" }] };

async function withTimers(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers();
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}

test("the first sweep begins at once, the next after the interval", async () => {
  await withTimers(async () => {
    let sweeps = 0;
    const regular = sweepRegularly(
      async () => ({ ...NOTHING, removed: [`${sweeps++}`] }),
      60_000,
      () => {},
    );
    expect(sweeps).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sweeps).toBe(2);
    await regular.stop();
    await vi.advanceTimersByTimeAsync(180_000);
    expect(sweeps).toBe(2);
  });
});

test("a sweep that takes longer than the interval is not joined by another", async () => {
  await withTimers(async () => {
    let running = 0;
    let most = 0;
    const slow = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 150_000));
      running--;
      return NOTHING;
    };
    const regular = sweepRegularly(slow, 60_000, () => {});
    await vi.advanceTimersByTimeAsync(400_000);
    expect(most).toBe(1);
    const stopped = regular.stop();
    await vi.advanceTimersByTimeAsync(200_000);
    await stopped;
    expect(running).toBe(0);
  });
});

test("what stays the same is said once; a failure is said and the next sweep comes", async () => {
  await withTimers(async () => {
    const said: string[] = [];
    const outcomes = [KEPT, KEPT, new Error("no luck"), NOTHING, KEPT];
    const sweep = async () => {
      const outcome = outcomes.shift() ?? NOTHING;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    };
    const regular = sweepRegularly(sweep, 1000, (text) => said.push(text));
    await vi.advanceTimersByTimeAsync(4000);
    await regular.stop();
    expect(said).toEqual([
      "sweep kept '/x': not ours",
      "sweep failed: no luck",
      "sweep kept '/x': not ours",
    ]);
  });
});
