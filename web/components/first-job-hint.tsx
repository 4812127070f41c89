// How to submit the first job, ready to be copied into a terminal of the server's machine.
import { useQuery } from "@tanstack/react-query";
import { overviewQuery } from "../overview-query.ts";
import { useApi } from "../use-api.ts";
import { CodeBlock } from "./code-block.tsx";

export function FirstJobHint() {
  const { data: overview } = useQuery(overviewQuery(useApi()));
  const tokenPath = `${overview?.disk.path ?? "$CROFT_DATA"}/run/cli-token`;
  const command = [
    `curl ${location.origin}/api/jobs \\`,
    `  -H "authorization: Bearer $(cat '${tokenPath}')" \\`,
    "  -H 'content-type: application/json' \\",
    `  -d '{"type": "command", "input": {`,
    `        "repository": "https://github.com/octocat/Hello-World",`,
    `        "command": "ls -la && git log --oneline | head"}}'`,
  ].join("\n");
  return (
    <>
      <p className="max-w-lg">
        A job runs a command in a workspace of its own, on a fresh checkout of a repository. On the
        machine where Croft runs, try this: it appears here at once.
      </p>
      <div className="w-full max-w-2xl">
        <CodeBlock label="Submit a job">{command}</CodeBlock>
      </div>
      <p className="text-ink-faint text-sm">
        All that can be asked for is in the{" "}
        <a href="/api/docs" className="font-medium text-accent underline underline-offset-4">
          description of the API
        </a>
        .
      </p>
    </>
  );
}
