// What git is told so that it connects to the address that was checked, and never asks for one itself.
import { GitError } from "../command/git-error.ts";
import { parseGitVersion } from "../command/git-version.ts";
import { gitText } from "../command/run-git.ts";
import type { RemoteUrl } from "./remote-url.ts";
import { type PublicHost, type ReachRules, resolvePublic } from "./resolve-public.ts";

const PORTS = { https: 443, http: 80, ssh: 22 } as const;

/** Earlier ones would not say that they do not know the setting, and would resolve the name. */
const OLDEST_MINOR = 37;

/** For the one git that speaks with the remote next. */
export interface Pins {
  readonly config?: readonly (readonly [key: string, value: string])[];
  /** As they stand in a shell. */
  readonly sshOptions?: string;
}

export async function pinRemote(remote: RemoteUrl, rules: ReachRules): Promise<Pins> {
  const { protocol, host } = remote;
  if (protocol === "file") return {}; // no network: other rules decide whether it may be read
  const port = PORTS[protocol];
  const pinned = await resolvePublic(/:\d+$/.test(host) ? host : `${host}:${port}`, rules);
  if (protocol === "ssh") return { sshOptions: sshOptions(pinned) };
  await requirePinning();
  return pinned.hostname.includes(":") ? {} : { config: curlEntries(pinned) };
}

/** With and without a dot at its end: versions of curl differ in what they look for. */
function curlEntries({ hostname, port, addresses }: PublicHost) {
  const list = addresses.map((address) => (address.includes(":") ? `[${address}]` : address));
  return [hostname, `${hostname}.`].map(
    (name) => ["http.curloptResolve", `${name}:${port}:${list.join(",")}`] as const,
  );
}

/** The host's key is looked for under the name, as ssh would write it: with a port other than its own, in brackets. */
function sshOptions({ hostname, port, address }: PublicHost): string {
  const alias = port === PORTS.ssh ? hostname : `[${hostname}]:${port}`;
  const options = [`HostName=${address}`, `HostKeyAlias=${alias}`, "CanonicalizeHostname=no"];
  return options.map((option) => `-o '${option}'`).join(" ");
}

let canPin: Promise<boolean> | undefined;

async function requirePinning(): Promise<void> {
  canPin ??= gitText(["version"]).then((text) => {
    const { major, minor } = parseGitVersion(text.replace("git version ", "")) ?? {
      major: 0,
      minor: 0,
    };
    return major > 2 || (major === 2 && minor >= OLDEST_MINOR);
  });
  canPin.catch(() => {
    canPin = undefined;
  });
  if (await canPin) return;
  const reason = `git 2.${OLDEST_MINOR} or newer is needed to reach remotes by a checked address`;
  throw new GitError("failed", reason, { command: "version" });
}
