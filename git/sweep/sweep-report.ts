// What a sweep did: removed, kept and why, failed and what to do.

export interface SweepReport {
  readonly removed: readonly string[];
  /** Not proven to be ours or dead: in doubt nothing is deleted. */
  readonly kept: readonly { readonly path: string; readonly reason: string }[];
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
}

export class SweepLog implements SweepReport {
  readonly removed: string[] = [];
  readonly kept: { path: string; reason: string }[] = [];
  readonly failed: { path: string; reason: string }[] = [];

  /** One thing that cannot be removed must not keep the others. */
  async attempt(path: string, remove: () => Promise<boolean>): Promise<void> {
    try {
      if (await remove()) this.removed.push(path);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      this.failed.push({ path, reason: `${said}; the next sweep tries again` });
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
