// How to start the first run, ready to be copied into a terminal of the server's machine.
import { useQuery } from "@tanstack/react-query";
import { overviewQuery } from "../overview-query.ts";
import { useApi } from "../use-api.ts";
import { CodeBlock } from "./code-block.tsx";

export function FirstRunHint() {
  const { data: overview } = useQuery(overviewQuery(useApi()));
  const command = [
    "cat > first.yaml <<'END'",
    "steps:",
    "  list: { run: ls -la }",
    "  log: { needs: list, run: git log }",
    "END",
    `CROFT_DATA='${overview?.disk.path ?? ""}' croft run first.yaml --repo https://github.com/octocat/Hello-World`,
  ].join("\n");
  return (
    <>
      <p className="max-w-lg">
        A pipeline is a file of steps. Those that need nothing of each other run at the same time,
        each in a workspace of its own. On the machine where Croft runs, try this: it appears here
        at once. In a checkout of yours, leave <code>--repo</code> out.
      </p>
      <div className="w-full max-w-2xl">
        <CodeBlock label="Start a run">{command}</CodeBlock>
      </div>
    </>
  );
}
