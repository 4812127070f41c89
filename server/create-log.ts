// The process's logger: JSON or readable, to stderr, without secrets.
import { type Config, redactText } from "@croft/engine";
import { type DestinationStream, type Logger, pino } from "pino";
import { dropSecrets, SECRET_KEYS } from "./drop-secrets.ts";

export type ServerLog = Logger;

export async function createLog(
  { level, format }: Config["log"],
  { isTerminal }: { isTerminal: boolean },
): Promise<ServerLog> {
  const destination = await destinationFor(
    format === "pretty" || (format === "auto" && isTerminal),
  );
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: dropSecrets },
      // What a child logger carries does not pass the formatter.
      redact: { paths: SECRET_KEYS.map((key) => `["${key}"]`), censor: "[redacted]" },
    },
    destination,
  );
}

/** Every line passes the text redactor last: a secret inside a message or a stack is no key of its own. */
async function destinationFor(pretty: boolean): Promise<DestinationStream> {
  const write = await writerFor(pretty);
  return { write: (line: string) => write(redactText(line)) };
}

async function writerFor(pretty: boolean): Promise<(line: string) => void> {
  const stderr = pino.destination({ fd: 2, sync: true });
  if (!pretty) return (line) => stderr.write(line);
  const { prettyFactory } = await import("pino-pretty");
  const prettify = prettyFactory({
    colorize: true,
    translateTime: "HH:MM:ss",
    ignore: "pid,hostname",
  });
  return (line) => stderr.write(prettify(line));
}
