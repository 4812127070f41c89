// How to start the first run, ready to be copied into a terminal of the server's machine.
import { useQuery } from "@tanstack/react-query";
import { overviewQuery } from "../overview-query.ts";
import { useApi } from "../use-api.ts";
import { CodeBlock } from "./code-block.tsx";

export function FirstRunHint() {
  const { data: overview } = useQuery(overviewQuery(useApi()));
  const tokenPath = `${overview?.disk.path ?? "$CROFT_DATA"}/run/cli-token`;
  const command = [
    `curl ${location.origin}/api/runs \\`,
    `  -H "authorization: Bearer $(cat '${tokenPath}')" \\`,
    "  -H 'content-type: application/json' \\",
    `  -d '{"repository": "https://github.com/octocat/Hello-World",`,
    `       "text": "steps: { list: { run: ls -la }, log: { needs: list, run: git log } }"}'`,
  ].join("\n");
  return (
    <>
      <p className="max-w-lg">
        A pipeline is a file of steps. Those that need nothing of each other run at the same time,
        each in a workspace of its own. On the machine where Croft runs, try this: it appears here
        at once.
      </p>
      <div className="w-full max-w-2xl">
        <CodeBlock label="Start a run">{command}</CodeBlock>
      </div>
    </>
  );
}
