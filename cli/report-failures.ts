// Says at the terminal why a command failed, and chooses the exit code.
import { EngineError, redactText } from "@croft/engine";
import pc from "picocolors";

/** Wraps a command's action. */
export function reportFailures(action: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await action();
    } catch (error) {
      process.stderr.write(`${pc.red("croft:")} ${describeFailure(error)}\n`);
      process.exitCode = exitCodeOf(error);
    }
  };
}

/** An expected failure is told by its message, an unexpected one with its stack. */
export function describeFailure(error: unknown): string {
  if (error instanceof EngineError) return redactText(`${error.message} (${error.code})`);
  return redactText(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** As `gh` has them: 1 it failed, 4 sign in first. */
export function exitCodeOf(error: unknown): number {
  return error instanceof EngineError && error.code === "unauthenticated" ? 4 : 1;
}
