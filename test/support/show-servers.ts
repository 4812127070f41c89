// A test that fails shows the last words of the servers it talked to: what went wrong is in their log only.
import { afterEach } from "vitest";
import { serversSaid } from "./croft-process.ts";

const LINES_SHOWN = 40;

afterEach(({ task }) => {
  const said = serversSaid();
  if (task.result?.state !== "fail") return;
  for (const output of said) {
    process.stderr.write(`a server of '${task.name}' said:\n${lastLines(output)}\n`);
  }
});

function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-LINES_SHOWN).join("\n");
}
