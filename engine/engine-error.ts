// The error of the engine: a stable code that says what the caller can do next, with details and cause.
import type { ProblemCode } from "@croft/contract";

/** Why a process did not start or cannot go on. Seen at the terminal and in logs, never on the wire. */
export const startCodes = {
  "config-invalid":
    "A setting is unknown or has a wrong value; the message names it and its source.",
  "data-directory-unusable":
    "The data directory cannot be made, read or written by the user Croft runs as, or by PostgreSQL's.",
  "data-directory-in-use":
    "Another `croft serve` owns the embedded database of this data directory.",
  "postgres-missing":
    "There are no PostgreSQL binaries for this platform; set DATABASE_URL to a server of yours.",
  "postgres-failed":
    "The embedded PostgreSQL did not start; the message quotes the end of its log.",
  "database-unreachable": "The server named by DATABASE_URL did not answer.",
  "database-too-old": "The PostgreSQL server is older than version 14.",
  "schema-too-new": "The database was migrated by a newer Croft; start that version.",
  "migration-changed": "A migration that was applied differs from the one in this version.",
  "secret-key-missing":
    "The database has secrets whose key is not in the key file of this host; copy the file.",
  "secret-key-unusable": "The file of encryption keys cannot be read, or is not one.",
  "assets-elsewhere":
    "The assets of this database are kept in another directory or bucket than this host has.",
  "address-unusable": "The machine has no such address, or the user may not open the port.",
  "address-in-use": "The HTTP port is taken; choose another with CROFT_HTTP_PORT.",
} as const satisfies Record<string, string>;

export type StartCode = keyof typeof startCodes;

export interface EngineErrorOptions {
  cause?: unknown;
  details?: Readonly<Record<string, unknown>>;
}

export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: ProblemCode | StartCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode | StartCode,
    message: string,
    { cause, details = {} }: EngineErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}
