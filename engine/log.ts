// What the engine asks of a logger; pino has this shape.

type Write = (details: Readonly<Record<string, unknown>>, message: string) => void;

export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}
