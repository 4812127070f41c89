// How the embedded PostgreSQL is reached: by its socket, as the one role, in the one database.

export interface EmbeddedConnection {
  /** The directory of the socket. */
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

/** Role and database have the same name. */
export const USER = "croft";

export function embeddedConnection(socketDirectory: string): EmbeddedConnection {
  return { host: socketDirectory, user: USER, database: USER };
}
