// The self-test says that this git is safe, and would say so if it were not.
import { readdirSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import * as environment from "./git-environment.ts";
import { proveProfile } from "./prove-profile.ts";

test("everything that could run foreign code is off, and nothing is left behind", async () => {
  const scratch = await scratchDirectory();
  const { gitVersion, findings } = await proveProfile(scratch);
  expect(gitVersion).toMatch(/^2\.\d+/);
  expect(findings.map(({ what }) => what)).toEqual([
    "hooks in files",
    "hooks in configuration",
    "fsmonitor",
    "ext:: transport",
    "redirects",
    "prompts",
  ]);
  expect(findings.filter(({ outcome }) => outcome === "unsafe")).toEqual([]);
  expect(readdirSync(scratch)).toEqual([]);
});

test("without the profile the same proofs say unsafe", async () => {
  const safe = environment.gitEnvironment;
  // What another git of this machine would have: a PATH and permission, and none of the rest.
  vi.spyOn(environment, "gitEnvironment").mockImplementation((options) => {
    const { PATH = "", HOME = "" } = safe(options);
    return {
      PATH,
      HOME,
      GIT_ALLOW_PROTOCOL: "http:https:ext",
      GIT_TERMINAL_PROMPT: "0",
      ...Object.fromEntries(
        (options.config ?? []).flatMap(([key, value], index) => [
          [`GIT_CONFIG_KEY_${index}`, key],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
      GIT_CONFIG_COUNT: String(options.config?.length ?? 0),
    };
  });
  const { findings } = await proveProfile(await scratchDirectory());
  vi.restoreAllMocks();
  const unsafe = findings.filter(({ outcome }) => outcome === "unsafe").map(({ what }) => what);
  expect(unsafe).toEqual(expect.arrayContaining(["hooks in files", "redirects"]));
});
