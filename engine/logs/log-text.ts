// A piece of log: which stream it came from, and what it says.

export type LogStream = "stdout" | "stderr" | "croft";

export interface LogText {
  readonly stream: LogStream;
  readonly text: string;
}
