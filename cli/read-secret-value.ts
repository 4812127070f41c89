// A value that must not stand on a command line: from stdin, or typed without being shown.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";

/** One line break at the end is the pipe's, not the value's. `prompt` is shown on a terminal. */
export async function readSecretValue(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, "");
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // In raw mode Ctrl-C is a key like any other: it must still end the command.
  terminal.on("SIGINT", () => {
    process.stderr.write("\n");
    process.exit(130);
  });
  try {
    process.stderr.write(prompt); // after the terminal has stopped showing what is typed
    return await terminal.question("");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
