// The wordings of git are told from the names it quotes and from what the remote says.
import { describe, expect, test } from "vitest";
import { classifyGitFailure } from "./git-error.ts";

describe("a failure is classified by git's words", () => {
  test.each([
    ["fatal: Unable to create '/x/index.lock': File exists.", "locked"],
    ["error: unable to create file 'a': No space left on device", "disk-full"],
    ["fatal: could not open '/x/y' for writing: Permission denied", "not-writable"],
    ["fatal: bad object HEAD", "corrupt"],
    ["git@example.org: Permission denied (publickey).", "auth"],
    ["ada@example.org: Permission denied, please try again.", "auth"],
    ["fatal: transport 'ext' not allowed", "rejected"],
    ["fatal: unable to access 'https://x/a.git/': The requested URL returned error: 429", "busy"],
    ["error: RPC failed; HTTP 429 curl 22 The requested URL returned error: 429", "busy"],
    ["fatal: couldn't find remote ref refs/heads/it's", "invalid-ref"],
    ["fatal: repository 'https://example.org/x.git/' not found", "not-found"],
  ])("%s", (stderr, code) => {
    expect(classifyGitFailure(stderr)).toBe(code);
  });
});

describe("names and the remote's own words decide nothing about our disk", () => {
  test.each([
    ["error: failed to open file 'bad object aaa': File name too long", "failed"],
    ["error: failed to open file 'x' bad object 'y': File name too long", "failed"],
    ["fatal: cannot stat 'No space left on device': File name too long", "failed"],
    ["remote: No space left on device\nfatal: early EOF", "network"],
    [" ! [remote rejected] main -> main (cannot lock ref 'refs/heads/main')", "rejected"],
    [" ! [remote rejected] main -> main (permission denied)", "rejected"],
  ])("%s", (stderr, code) => {
    expect(classifyGitFailure(stderr)).toBe(code);
  });
});
