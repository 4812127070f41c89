// What a sweep did: removed, kept and why, failed and what to do.
import type { ReportSubject } from "../report.ts";

export interface SweepReport {
  readonly removed: readonly string[];
  /** Not proven to be ours or dead: in doubt nothing is deleted. */
  readonly kept: readonly { readonly path: string; readonly reason: string }[];
  readonly failed: readonly SweepFailure[];
}

export interface SweepFailure {
  readonly path: string;
  readonly reason: string;
  readonly subject?: ReportSubject | undefined;
}

export class SweepLog implements SweepReport {
  readonly removed: string[] = [];
  readonly kept: { path: string; reason: string }[] = [];
  readonly failed: SweepFailure[] = [];

  /** One thing that cannot be removed must not keep the others. */
  async attempt(
    path: string,
    remove: () => Promise<boolean>,
    subject?: ReportSubject,
  ): Promise<void> {
    try {
      if (await remove()) this.removed.push(path);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      const reason = `${said}; the next sweep tries again`;
      this.failed.push({ path, reason, ...(subject === undefined ? {} : { subject }) });
    }
  }

  /** Of the sweep: one that cannot go on does not keep the others from theirs. */
  async part(directory: string, work: () => Promise<void>): Promise<void> {
    await this.attempt(directory, async () => {
      await work();
      return false;
    });
  }

  keep(path: string, reason: string): void {
    this.kept.push({ path, reason });
  }
}
