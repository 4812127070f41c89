// The messages as they are sent: what docs/deliveries.md says, in types.

export interface Watch {
  readonly id: string;
  readonly url: string;
  /** None in a `sync.failed` from before the default branch was known. */
  readonly ref: string | null;
}

/** `100755` executable, `120000` symbolic link, `160000` submodule. */
export type FileMode = "100644" | "100755" | "120000" | "160000";

interface NamedFile {
  /** Text, or base64 of its bytes when `path_encoding` says so. */
  readonly path: string;
  readonly path_encoding?: "base64";
}

interface KeptFile extends NamedFile {
  readonly change: "created" | "updated";
  readonly previous_path?: string;
  readonly previous_path_encoding?: "base64";
  readonly blob: string;
}

export type ChangedFile =
  | (NamedFile & { readonly change: "deleted" })
  | (KeptFile & { readonly mode: "160000" })
  | (KeptFile & {
      readonly mode: Exclude<FileMode, "160000">;
      readonly size: number;
      readonly sha256: string;
      /** Absent when it came before, in chunks. */
      readonly content?: string;
      readonly encoding?: "utf-8" | "base64";
      readonly chunked?: true;
    });

/** One step of a watch, from one commit to another, in `messages` messages (more, when some were divided). */
export interface Sync {
  readonly id: string;
  /** Grows with every sync of the watch: of two the greater is the later one. */
  readonly number: number;
  readonly resync: boolean;
  readonly reset: boolean;
  readonly messages: number;
  readonly message: number;
}

interface MessageOf<Type extends string, Data> {
  readonly type: Type;
  readonly timestamp: string;
  readonly data: Data;
}

export type FilesChanged = MessageOf<
  "files.changed",
  {
    readonly watch: Watch;
    readonly commit: string;
    /** None at the first sync. */
    readonly previous_commit: string | null;
    readonly sync: Sync;
    readonly files: readonly ChangedFile[];
  }
>;

export interface Transfer {
  readonly id: string;
  readonly index: number;
  readonly total: number;
  readonly offset: number;
  readonly size: number;
  readonly sha256: string;
}

export type FileChunk = MessageOf<
  "file.chunk",
  {
    readonly watch: Watch;
    readonly commit: string;
    readonly file: NamedFile & { readonly size: number; readonly sha256: string };
    readonly transfer: Transfer;
    /** base64 */
    readonly content: string;
  }
>;

export type SyncFailed = MessageOf<
  "sync.failed",
  {
    readonly watch: Watch;
    readonly error: { readonly code: string; readonly message: string };
    readonly since: string;
    readonly retry_at: string | null;
  }
>;

export type SyncRecovered = MessageOf<"sync.recovered", { readonly watch: Watch }>;

export type JobFinished = MessageOf<
  "job.finished",
  {
    /** Without input and result: `GET /api/jobs/:id` has them. */
    readonly job: Ended & {
      readonly type: string;
      readonly key: string | null;
      readonly source_task_id: string | null;
      readonly retry_of: string | null;
    };
  }
>;

export type RunFinished = MessageOf<
  "run.finished",
  {
    /** Without its steps: `GET /api/runs/:id` has them. */
    readonly run: Ended & {
      readonly name: string;
      readonly number: number;
      readonly repository: string | null;
      readonly ref: string | null;
      readonly commit: string | null;
      readonly source_task_id: string | null;
    };
  }
>;

/** What jobs and runs have in common. */
interface Ended {
  readonly id: string;
  /** A later Croft may have more of them. */
  readonly status: "done" | "failed" | "cancelled" | (string & {});
  readonly attempt: number;
  /** `class`: what kind of failure it was, as the API has it. */
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly class: string | null;
  } | null;
  readonly created_at: string;
  /** None when it was cancelled before it began. */
  readonly started_at: string | null;
  readonly finished_at: string;
}

export type Ping = MessageOf<"ping", Readonly<Record<string, unknown>>>;

/** Of a kind that came later than this program: taken, and not looked at. */
export interface UnknownMessage {
  readonly type: "unknown";
  readonly name: string;
}

export type Message =
  | FilesChanged
  | FileChunk
  | SyncFailed
  | SyncRecovered
  | JobFinished
  | RunFinished
  | Ping
  | UnknownMessage;
