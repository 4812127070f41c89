// What a new app has to keep, as the lines of an .env file; and how a program uses it.
import type { OnboardedApp } from "@croft/contract";

export type AppSecrets = Pick<
  OnboardedApp,
  "id" | "name" | "token" | "signing_secret" | "base_url"
>;

export function environmentOf({ id, token, signing_secret }: AppSecrets, croftUrl: string): string {
  return [
    `CROFT_URL=${croftUrl}`,
    `CROFT_APP_ID=${id}`,
    `CROFT_TOKEN=${token}`,
    `CROFT_SIGNING_SECRET=${signing_secret}`,
    "",
  ].join("\n");
}

/** The secret itself is not in it: snippets end up in repositories. */
export const receiverSnippet = `import { createServer } from "node:http";
import { env } from "node:process";
import { createReceiver, nodeListener, openStore } from "@croft/receiver";

const receive = createReceiver({
  secrets: [env.CROFT_SIGNING_SECRET],
  store: openStore("received"),
  onFiles: async ({ watch, files }) => {
    for (const file of files) {
      console.log(watch.url, file.change, file.path.toString());
    }
  },
});
createServer(nodeListener(receive)).listen(8090);
`;
