// A real sshd on loopback that gives out repositories to one key, and ends with the test.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { waitUntil } from "./wait-until.ts";

export interface SshServer {
  /** With its port, as settings name it. */
  readonly host: string;
  /** What its clients have to know of it. */
  readonly knownHostsFile: string;
  /** Of the one who may enter; `strange` is somebody else's. */
  readonly key: string;
  readonly strangeKey: string;
  url(path: string): string;
}

/** As root only: sshd lets nobody else change into the user who comes. */
export async function startSshServer(root: string): Promise<SshServer> {
  const directory = join(root, "ssh");
  mkdirSync(directory);
  chmodSync(directory, 0o700);
  mkdirSync("/run/sshd", { recursive: true }); // where it wants an empty directory of root's
  const make = (name: string) => {
    const path = join(directory, name);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path]);
    return { path, key: readFileSync(path, "utf8"), open: readFileSync(`${path}.pub`, "utf8") };
  };
  const [host, own, strange] = [make("host"), make("own"), make("strange")];
  writeFileSync(join(directory, "authorized"), own.open);
  const port = await freePort();
  const config = join(directory, "config");
  writeFileSync(
    config,
    [
      ...[`Port ${port}`, "ListenAddress 127.0.0.1", `HostKey ${host.path}`, "UsePAM no"],
      ...[`AuthorizedKeysFile ${join(directory, "authorized")}`, "StrictModes no"],
      ...["PermitRootLogin prohibit-password", "PasswordAuthentication no", "PidFile none", ""],
    ].join("\n"),
  );
  const child = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", config], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  onTestFinished(() => void child.kill());
  await waitUntil("sshd to listen", () => {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${said}`);
    return said.includes("Server listening");
  });
  const knownHostsFile = join(directory, "known_hosts");
  writeFileSync(knownHostsFile, `[127.0.0.1]:${port} ${host.open}`);
  return {
    ...{ host: `127.0.0.1:${port}`, knownHostsFile, key: own.key, strangeKey: strange.key },
    url: (path) => `ssh://root@127.0.0.1:${port}${path}`,
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
