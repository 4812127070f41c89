// The environment every git of ours runs in: built from nothing, with all that could run foreign code switched off.

export interface GitEnvironmentOptions {
  /** Transports git may use; `ext` is never among them. */
  readonly protocols: readonly Protocol[];
  /** Further configuration for this one command. A list, because some keys are given twice. */
  readonly config?: readonly (readonly [key: string, value: string])[] | undefined;
  /** Further variables, e.g. an index file of its own. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

export type Protocol = "https" | "http" | "ssh" | "file";

/** Where git and the shell of its helpers are; nobody's PATH is inherited. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** For ssh remotes; more options may follow. */
export const SSH_COMMAND = "ssh -o BatchMode=yes -o ConnectTimeout=30 -o StrictHostKeyChecking=yes";

/** Since git 2.54 hooks can also be defined in configuration, which `core.hooksPath` does not stop. */
const HOOK_EVENTS = [
  ...["applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit"],
  ...[
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
  ],
  ...["pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update"],
  ...["reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite"],
  ...["sendemail-validate", "fsmonitor-watchman", "post-index-change"],
];

const CONFIG: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ...HOOK_EVENTS.map((event) => [`hook.${event}.enabled`, "false"] as const),
  ["core.fsmonitor", "false"],
  ["core.sshCommand", SSH_COMMAND],
  ["core.askPass", ""],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["sequence.editor", "false"],
  ["core.gitProxy", ""],
  ["core.attributesFile", "/dev/null"],
  ["core.excludesFile", "/dev/null"],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["core.useReplaceRefs", "false"],
  ["core.alternateRefsCommand", "exit 0 #"],
  ["core.packedRefsTimeout", "10000"],
  ["core.filesRefLockTimeout", "1000"],
  ["core.fsync", "objects,derived-metadata,reference"],
  ["credential.helper", ""], // an empty value resets the list, also what a repository's own config put there
  ["credential.useHttpPath", "true"],
  ["credential.interactive", "false"],
  ["http.followRedirects", "false"],
  ["http.extraHeader", ""],
  ["http.proxy", ""],
  ["http.sslVerify", "true"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "120"],
  ["transfer.fsckObjects", "true"],
  // Old and harmless faults of well-known repositories, which could otherwise not be cloned at all.
  ["fetch.fsck.badTimezone", "ignore"],
  ["fetch.fsck.missingSpaceBeforeDate", "ignore"],
  ["fetch.fsck.zeroPaddedFilemode", "ignore"],
  ["transfer.bundleURI", "false"],
  ["transfer.credentialsInUrl", "die"],
  ["protocol.allow", "never"],
  ["protocol.ext.allow", "never"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["push.recurseSubmodules", "no"],
  ["safe.bareRepository", "explicit"],
  ["gc.auto", "0"],
  ["gc.autoDetach", "false"],
  ["maintenance.auto", "false"],
  ["maintenance.autoDetach", "false"],
  ["fetch.unpackLimit", "1"], // packs only: templates hardlink them
  ["transfer.unpackLimit", "1"],
  ["init.templateDir", ""],
  ["init.defaultBranch", "main"],
  ["gpg.program", "false"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["diff.external", ""],
  ["advice.detachedHead", "false"],
];

export function gitEnvironment(options: GitEnvironmentOptions): Record<string, string> {
  const { protocols, config = [], variables = {} } = options;
  const allowed = protocols.map((protocol) => [`protocol.${protocol}.allow`, "always"] as const);
  return {
    PATH,
    HOME: "/nonexistent",
    XDG_CONFIG_HOME: "/nonexistent",
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GCM_INTERACTIVE: "Never",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GIT_ALLOW_PROTOCOL: protocols.length === 0 ? "none" : protocols.join(":"),
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_LFS_SKIP_SMUDGE: "1",
    ...variables,
    ...configVariables([...CONFIG, ...allowed, ...config]),
  };
}

function configVariables(entries: readonly (readonly [string, string])[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(entries.length) };
  for (const [index, [key, value]] of entries.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
