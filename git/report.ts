// Something that did not go as it should, told to whoever keeps the log.

/** What it is about, as far as that is known. */
export interface ReportSubject {
  readonly owner?: string | undefined;
  readonly runId?: string | undefined;
  readonly jobId?: string | undefined;
  readonly attempt?: number | undefined;
  readonly workspace?: string | undefined;
  readonly path?: string | undefined;
}

/** In words: path, whose, what to do. The subject says the same to programs. */
export type OnReport = (report: string, subject?: ReportSubject) => void;
