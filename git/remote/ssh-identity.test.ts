// Ssh for somebody else has one key at most, and nothing of the user whom this process belongs to.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { readTips } from "./read-tips.ts";
import { parseRemoteUrl } from "./remote-url.ts";
import { sshCommandOf } from "./ssh-identity.ts";

/** What ssh itself makes of a command. */
function settingsOf(command: string): string[] {
  return execFileSync("/bin/sh", ["-c", `${command} -G git.example.com`], {
    ...{ encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  })
    .trim()
    .split("\n");
}

const OWN_FILES = /^(identityfile|certificatefile|userknownhostsfile) .*\.ssh/;

test("without a key none is offered, from wherever it may be", () => {
  const settings = settingsOf(sshCommandOf({}));
  expect(settings).toEqual(expect.arrayContaining(["identityfile none", "identityagent none"]));
  expect(settings).toEqual(expect.arrayContaining(["identitiesonly yes", "batchmode yes"]));
  expect(settings).toEqual(
    expect.arrayContaining(["userknownhostsfile /dev/null", "stricthostkeychecking true"]),
  );
  expect(
    settings.filter((line) => OWN_FILES.test(line) || /^proxy(command|jump)/.test(line)),
  ).toEqual([]);
  expect(settingsOf(sshCommandOf(undefined)).some((line) => OWN_FILES.test(line))).toBe(true);
});

test("with a key it is the agent's only one, and host keys come from the file that is named", () => {
  const identity = { key: "k", knownHostsFile: `/etc/it's "here"/100%` };
  const settings = settingsOf(sshCommandOf(identity));
  expect(settings).toEqual(
    expect.arrayContaining(["identityfile none", "identityagent SSH_AUTH_SOCK"]),
  );
  expect(settings.find((line) => line.startsWith("userknownhostsfile"))).toContain("/etc/it's");
  expect(settings.filter((line) => OWN_FILES.test(line))).toEqual([]);
});

const REMOTE = parseRemoteUrl("ssh://git@127.0.0.1:9/app");

test("no ssh is started without a key, or with what is none", async () => {
  const reach = { allowPrivate: ["127.0.0.1"] };
  for (const access of [{ reach }, { ssh: {} }, { reach, ssh: {} }]) {
    await expect(readTips(REMOTE, [""], access)).rejects.toMatchObject({
      code: "auth",
      message: expect.stringContaining("needs a credential of the kind 'ssh-key'"),
    });
  }
  const broken = "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----";
  for (const key of ["hunter2", "-----BEGIN X-----\n\nhunter2", broken]) {
    const error = await readTips(REMOTE, [""], { reach, ssh: { key } }).catch((caught) => caught);
    expect(error).toMatchObject({ code: "auth" });
    expect(error.message).toContain("must be a private key without a passphrase");
    expect(JSON.stringify([error, error.stack])).not.toContain("hunter2");
  }
});
