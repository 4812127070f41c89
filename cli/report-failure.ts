// Says at the terminal why a command failed, and chooses the exit code.
import { EngineError } from "@croft/engine";
import { redactText } from "@croft/server";
import pc from "picocolors";

/** As `gh` has them: 1 it failed, 4 sign in first. */
export function reportFailure(error: unknown): number {
  const isExpected = error instanceof EngineError;
  const code = isExpected ? ` (${error.code})` : "";
  const text = isExpected ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${pc.red("croft:")} ${redactText(text ?? "")}${pc.dim(code)}\n`);
  return isExpected && error.code === "unauthenticated" ? 4 : 1;
}
