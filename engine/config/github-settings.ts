// Settings of the GitHub App: what its events are signed with, and as whom Croft asks GitHub.
import { createPrivateKey } from "node:crypto";
import { z } from "zod";
import { duration } from "./duration.ts";
import { accountList, secret, webUrl, wholeNumber } from "./setting-values.ts";

const NOT_SAFE =
  "must be https, because tokens go there; http is for this machine itself only (localhost, 127.0.0.1, [::1])";

/** GitHub's own servers have a path: `https://github.example.org/api/v3`. */
const apiUrl = z
  .string()
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
    return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  }, "must be an http or https URL without credentials and query")
  .refine(isSafe, NOT_SAFE)
  .transform((text) => text.replace(/\/+$/, ""));

/** In a variable the lines of a key are often divided by `\n`. */
const privateKey = z
  .string()
  .transform((text) => text.replaceAll("\\n", "\n"))
  .refine(isPrivateKey, "must be a private key in PEM, as GitHub gives it out");

const webhookSecret = z.string().min(16, "must have at least 16 characters");

export const githubSettings = z
  .strictObject({
    appId: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional().meta({
      description: "Id of the GitHub App; without it Croft takes events, but asks GitHub nothing",
      defaultText: "none",
    }),
    privateKey: privateKey.optional().meta({
      description: "Private key of the GitHub App (PEM); belongs to `github.appId`",
      ...secret,
    }),
    webhookSecret: webhookSecret.optional().meta({
      description: "What GitHub signs events with; without it there is no `POST /webhooks/github`",
      ...secret,
    }),
    webhookSecretPrevious: webhookSecret.optional().meta({
      description: "The secret before that one: both are valid while one takes the other's place",
      ...secret,
    }),
    apiUrl: apiUrl.prefault("https://api.github.com").meta({
      description: "Where GitHub's API is; of a server of your own `https://<host>/api/v3`",
    }),
    webUrl: webUrl.refine(isSafe, NOT_SAFE).prefault("https://github.com").meta({
      description: "Where GitHub's pages and repositories are",
    }),
    accounts: accountList.prefault("").meta({
      description:
        "Whose events start something, if not everybody's who installs the App: names of users and organizations, divided by commas",
      defaultText: "everybody's",
    }),
    redeliverEvery: duration("1s", "1d").prefault("15m").meta({
      description: "How often GitHub is asked for events that did not arrive",
    }),
  })
  .prefault({});

type GithubSettings = z.output<typeof githubSettings>;

/** Half of a pair would be found out only when the first event is handled. */
export function checkGithubSettings(github: GithubSettings): string[] {
  const hasId = github.appId !== undefined;
  const violations: string[] = [];
  if (hasId !== (github.privateKey !== undefined)) {
    const [given, missing] = hasId ? ["appId", "privateKey"] : ["privateKey", "appId"];
    violations.push(`github.${given} needs github.${missing}`);
  }
  if (github.webhookSecretPrevious !== undefined && github.webhookSecret === undefined) {
    violations.push("github.webhookSecretPrevious needs github.webhookSecret");
  }
  return violations;
}

/** What is no address at all is told of elsewhere. */
function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { protocol, hostname } = new URL(text);
  const isHere = hostname === "localhost" || hostname === "[::1]" || /^127\.[\d.]+$/.test(hostname);
  return protocol !== "http:" || isHere;
}

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === "rsa";
  } catch {
    return false; // whatever is wrong with it, the reason would quote a secret
  }
}
