// What a command says on stdout, to whoever still reads it.
import { once } from "node:events";

/** Whether a command goes on when nobody reads its output any more: if its exit code tells something too. */
export type Readers = "needed" | "welcome";

/** `croft logs … | head` is no failure: when nobody reads any more there is nothing left to do. */
export function guardOutput(readers: Readers = "needed"): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" && readers === "welcome") return;
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`croft: cannot write to stdout: ${error.message}\n`);
    process.exit(1);
  });
  process.stderr.on("error", () => {}); // nobody is left to be told
}

/** Resolves when there is room for more. */
export async function writeOutput(text: string | Uint8Array): Promise<void> {
  if (!process.stdout.writable || process.stdout.write(text)) return;
  await once(process.stdout, "drain").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

export async function writeJson(value: unknown): Promise<void> {
  await writeOutput(`${JSON.stringify(value, null, 2)}\n`);
}
