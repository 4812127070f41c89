// Proves on this machine, with this git, that the environment really switches off what it is meant to.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gitText, type RunGitOptions, runGit } from "./run-git.ts";

export interface ProfileProof {
  readonly gitVersion: string;
  readonly findings: readonly ProfileFinding[];
}

export interface ProfileFinding {
  readonly what: string;
  /** `absent`: this git does not know the thing at all. */
  readonly outcome: "safe" | "unsafe" | "absent";
  readonly detail: string;
}

/** `scratch` is a directory that may be written; nothing is left in it. */
export async function proveProfile(scratch: string): Promise<ProfileProof> {
  const gitVersion = (await gitText(["version"])).replace(/^git version /, "");
  const directory = await mkdtemp(join(scratch, "profile-"));
  try {
    const trap = await setTrap(directory);
    return {
      gitVersion,
      findings: [
        await proveHookFiles(trap),
        await proveConfiguredHooks(trap, gitVersion),
        await proveFsmonitor(trap),
        await proveExt(trap),
        await proveRedirect(trap),
        await provePrompt(trap),
      ],
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Trap {
  readonly options: RunGitOptions & { readonly gitDir: string; readonly workTree: string };
  /** A command line that leaves a trace if it is ever run. */
  readonly command: string;
  wasSprung(): boolean;
}

/** A repository with one commit, in which each proof plants something. */
async function setTrap(directory: string): Promise<Trap> {
  const workTree = join(directory, "tree");
  const gitDir = join(workTree, ".git");
  const trace = join(directory, "trace");
  const options = { gitDir, workTree };
  await mkdir(workTree);
  await runGit(["init", "--quiet", workTree], {});
  await writeFile(join(workTree, "file"), "content\n");
  await runGit(["add", "file"], options);
  await commit(options);
  return { options, command: `touch '${trace}'`, wasSprung: () => existsSync(trace) };
}

async function commit(options: RunGitOptions): Promise<void> {
  const identity: [string, string][] = [
    ["user.name", "Croft"],
    ["user.email", "croft@localhost"],
  ];
  await runGit(["commit", "--quiet", "--allow-empty", "-m", "proof"], {
    ...options,
    config: identity,
  });
}

async function proveHookFiles({ options, command, wasSprung }: Trap): Promise<ProfileFinding> {
  const hooks = join(options.gitDir, "hooks");
  await mkdir(hooks, { recursive: true });
  for (const name of ["pre-commit", "post-commit", "reference-transaction", "post-index-change"]) {
    await writeFile(join(hooks, name), `#!/bin/sh\n${command}\n`);
    await chmod(join(hooks, name), 0o755);
  }
  await plant(options, "core.hooksPath", hooks);
  await commit(options);
  return finding("hooks in files", wasSprung(), "a planted pre-commit hook");
}

/** Known since git 2.54; `core.hooksPath` does not stop them. */
async function proveConfiguredHooks(trap: Trap, gitVersion: string): Promise<ProfileFinding> {
  const [major = 0, minor = 0] = gitVersion.split(".").map(Number);
  const isKnown = major > 2 || (major === 2 && minor >= 54);
  await plant(trap.options, "hook.planted.command", trap.command);
  await plant(trap.options, "hook.planted.event", "pre-commit");
  await commit(trap.options);
  if (trap.wasSprung() || isKnown) {
    return finding("hooks in configuration", trap.wasSprung(), "a hook defined in configuration");
  }
  return {
    what: "hooks in configuration",
    outcome: "absent",
    detail: `git ${gitVersion} has none`,
  };
}

async function proveFsmonitor({ options, command, wasSprung }: Trap): Promise<ProfileFinding> {
  await plant(options, "core.fsmonitor", `${command}; false`);
  await runGit(["status", "--porcelain"], options);
  return finding("fsmonitor", wasSprung(), "a planted fsmonitor program");
}

async function proveExt({ options, command, wasSprung }: Trap): Promise<ProfileFinding> {
  await plant(options, "protocol.ext.allow", "always");
  const url = `ext::sh -c ${command.replaceAll(" ", "% ")}`;
  const refused = await refusal(["ls-remote", url], { ...options, protocols: ["https"] });
  return finding("ext:: transport", wasSprung() || refused === undefined, "a planted ext:: remote");
}

async function proveRedirect({ options }: Trap): Promise<ProfileFinding> {
  let followed = 0;
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/elsewhere")) followed++;
    response.writeHead(302, { location: `/elsewhere${request.url}` }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`;
    await refusal(["ls-remote", url], { ...options, protocols: ["http"] });
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return finding("redirects", followed > 0, "a redirect to another address");
}

/** A remote that asks for a password must fail at once, not wait for somebody to type one. */
async function provePrompt({ options }: Trap): Promise<ProfileFinding> {
  const server = createServer((_request, response) => {
    response.writeHead(401, { "www-authenticate": "Basic" }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`;
    const code = await refusal(["ls-remote", url], { ...options, protocols: ["http"] });
    return finding("prompts", code !== "auth", "a remote that asks for a password");
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function plant({ gitDir }: RunGitOptions, key: string, value: string): Promise<void> {
  await runGit(["config", "--file", join(gitDir ?? "", "config"), key, value]);
}

/** The code of the failure; undefined when there was none. */
async function refusal(
  args: readonly string[],
  options: RunGitOptions,
): Promise<string | undefined> {
  const limited = { ...options, timeoutMs: 10_000 };
  return await runGit(args, limited).then(
    () => undefined,
    (error: { code?: string }) => error.code ?? "unknown",
  );
}

function finding(what: string, isUnsafe: boolean, tried: string): ProfileFinding {
  return isUnsafe
    ? { what, outcome: "unsafe", detail: `${tried} took effect` }
    : { what, outcome: "safe", detail: `${tried} had no effect` };
}
