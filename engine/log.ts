// What the engine asks of a logger; pino has this shape.

/** What a line is about, besides its words. */
export type LogDetails = Readonly<Record<string, unknown>>;

type Write = (details: LogDetails, message: string) => void;

export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

/** The same log, with these details on every line. */
export function logWith(log: Log, about: LogDetails): Log {
  return {
    debug: (details, message) => log.debug({ ...about, ...details }, message),
    info: (details, message) => log.info({ ...about, ...details }, message),
    warn: (details, message) => log.warn({ ...about, ...details }, message),
    error: (details, message) => log.error({ ...about, ...details }, message),
  };
}
