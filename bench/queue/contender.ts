// A queue that takes part: Croft and what people would take instead, all asked for the same.

export const contenderNames = [
  "croft",
  "bullmq",
  "bullmq_fsync",
  "graphile",
  "graphile_batched",
  "pgboss",
  "pqueue",
] as const;

export type ContenderName = (typeof contenderNames)[number];

export interface Contender {
  readonly name: ContenderName;
  readonly title: string;
  /** Said beside its figures: what it does, or does without. */
  readonly note: string;
  /** How much of the jobs it gets; less for one that would take minutes. */
  readonly share: number;
  /** Resolves when the job is as safe as this queue makes it. */
  enqueue(): Promise<void>;
  /** The quickest way in for many. Nobody works meanwhile. */
  fill(count: number): Promise<void>;
  /** Runs what is queued; a job does nothing but call `onStart`. */
  work(slots: number, onStart: () => void): Promise<Workers>;
  /** Jobs that have not ended, or whose end is not written yet. */
  left(): Promise<number>;
  /** After it was measured: checks what it left, and makes room. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export interface Workers {
  close(): Promise<void>;
}
