// As whom ssh goes to a remote: with one key that is given to it, and nothing of the user Croft runs as.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { SSH_COMMAND } from "../command/git-environment.ts";
import { GitError } from "../command/git-error.ts";
import { type GitResult, type RunGitOptions, runGit } from "../command/run-git.ts";

export interface SshIdentity {
  /** A private key as OpenSSH or PEM writes it, without a passphrase. Without one no ssh remote is reached at all. */
  readonly key?: string | undefined;
  /** Host keys that are trusted, beside those of the whole machine. */
  readonly knownHostsFile?: string | undefined;
}

/**
 * Whoever may name a remote must not be served by the keys, agent, configuration or helpers of the user Croft runs as: ssh
 * finds them by the user database, whatever `HOME` says.
 */
const NOBODY = [
  ...["IdentityFile=none", "CertificateFile=none", "PKCS11Provider=none"],
  ...["PreferredAuthentications=publickey", "ForwardAgent=no", "ClearAllForwardings=yes"],
  ...["PermitLocalCommand=no", "ProxyCommand=none", "ControlPath=none", "UpdateHostKeys=no"],
];

/** To be followed by more options: all of them as they stand in a shell. */
export function sshCommandOf(identity: SshIdentity | undefined): string {
  if (identity === undefined) return SSH_COMMAND;
  const agent = identity.key === undefined ? "none" : "SSH_AUTH_SOCK";
  const options = [
    ...NOBODY,
    `IdentityAgent=${agent}`,
    `IdentitiesOnly=${identity.key === undefined ? "yes" : "no"}`,
    `UserKnownHostsFile=${quotedFile(identity.knownHostsFile ?? "/dev/null")}`,
  ];
  return `${SSH_COMMAND} -F /dev/null ${options.map((option) => `-o ${inShell(option)}`).join(" ")}`;
}

/**
 * The key goes over a descriptor that only this git has into an agent that lives as long as this one ssh: it stands in no
 * file, argument or variable. The shell waits for the agent's end, because nobody else might.
 */
const WITH_AGENT = `
  ssh-agent -D -a "$0" >/dev/null 2>&1 3<&- & a=$!
  trap 'kill "$a" 2>/dev/null; wait "$a"' EXIT
  trap 'exit 255' HUP INT TERM
  while [ ! -S "$0" ]; do kill -0 "$a" || exit 255; sleep 0.02; done
  export SSH_AUTH_SOCK="$0"
  printf 'verb=ssh-key\n\n' >&3
  while IFS= read -r l && [ -n "$l" ]; do printf '%s\n' "$l"; done <&3 | ssh-add -q - >/dev/null 2>&1 ||
    { echo 'ssh-key: the key cannot be used' >&2; exit 255; }
  "$@" 3<&-
  exit $?`;

/** The key is handed over once: one git has one ssh. */
export async function runGitWithKey(
  args: readonly string[],
  { key, sshCommand, ...options }: RunGitOptions & { key: string; sshCommand: string },
): Promise<GitResult> {
  const command = args[0] ?? "";
  const lines = key.replaceAll("\r", "").trim();
  if (!lines.startsWith("-----BEGIN ") || /\n\s*\n|\0/.test(lines)) throw unusable(command);
  const directory = await mkdtemp(join(tmpdir(), "croft-ssh-")); // nobody else may enter it
  const program = `sh -c ${inShell(WITH_AGENT)} ${inShell(join(directory, "agent"))} ${sshCommand}`;
  try {
    return await runGit(args, {
      ...options,
      config: [
        ...(options.config ?? []),
        ...([
          ["core.sshCommand", program],
          ["ssh.variant", "ssh"],
        ] as const),
      ],
      onHelper: (helper) => giveOnce(helper, lines),
    });
  } catch (error) {
    const said = error instanceof GitError ? (error.details.stderr ?? "") : "";
    throw said.includes("ssh-key: the key cannot be used") ? unusable(command) : error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function giveOnce(helper: Duplex, lines: string): void {
  helper.on("error", () => {}); // git has ended: there is nobody to give it to
  helper.once("data", () => helper.end(`${lines}\n\n`));
}

export function withoutKey(command: string): GitError {
  const reason = "ssh needs a credential of the kind 'ssh-key' for this repository";
  return new GitError("auth", `git ${command} failed: ${reason}`, { command });
}

function unusable(command: string): GitError {
  const reason = "the key cannot be used: it must be a private key without a passphrase";
  return new GitError("auth", `git ${command} failed: ${reason}`, { command });
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Ssh divides the names of several files by spaces, and knows quotes. */
function quotedFile(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;
}
