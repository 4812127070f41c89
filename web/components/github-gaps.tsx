// What is missing where a GitHub App is connected by half, and what does not work until it is there.
import type { GithubState } from "@croft/contract";
import { CodeText } from "./code-text.tsx";
import { Notice } from "./notice.tsx";

export function GithubGaps({ state }: { state: GithubState }) {
  const { takes_events, app_id } = state;
  return (
    <>
      {takes_events && app_id === null && (
        <Notice tone="warn" title="Croft takes events, but cannot ask GitHub anything">
          <CodeText>
            Private repositories cannot be fetched, nothing is told back, and events that were
            missed are not asked for again. Set `CROFT_GITHUB_APP_ID` and
            `CROFT_GITHUB_PRIVATE_KEY_FILE`, then `croft github check`.
          </CodeText>
        </Notice>
      )}
      {!takes_events && app_id !== null && (
        <Notice tone="warn" title="Croft takes no events">
          <CodeText>
            There is no webhook secret, so nothing that happens at GitHub starts anything. Set
            `CROFT_GITHUB_WEBHOOK_SECRET_FILE` to a file with the secret of the App's webhook.
          </CodeText>
        </Notice>
      )}
    </>
  );
}

/** Neither half is there. */
export function isUnconfigured({ takes_events, app_id }: GithubState): boolean {
  return !takes_events && app_id === null;
}
