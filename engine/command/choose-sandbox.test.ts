// Every wish under every setting, for people of this machine and for apps.
import type { Ability } from "@croft/git";
import { expect, test } from "vitest";
import { chooseSandbox, type SandboxWish } from "./choose-sandbox.ts";

const HERE = { isPossible: true } as Ability;
const NONE = { isPossible: false, reason: "no bubblewrap", advice: "install it" } as Ability;

function outcome(
  asked: SandboxWish,
  setting: SandboxWish,
  { owner = "local", ability = HERE } = {},
) {
  try {
    return chooseSandbox({ asked, setting, owner, ability }) ?? "in";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("where there is a sandbox", () => {
  const all = (["auto", "on", "off"] as const).map((setting) =>
    (["auto", "on", "off"] as const).map((asked) => outcome(asked, setting)),
  );
  expect(all).toEqual([
    ["in", "in", "off"],
    ["in", "in", "sandbox-required"],
    ["off", "in", "off"],
  ]);
});

test("where there is none, only who insists on one fails", () => {
  const ability = NONE;
  const all = (["auto", "on", "off"] as const).map((setting) =>
    (["auto", "on", "off"] as const).map((asked) => outcome(asked, setting, { ability })),
  );
  expect(all).toEqual([
    ["in", "no-sandbox", "off"],
    ["no-sandbox", "no-sandbox", "sandbox-required"],
    ["off", "no-sandbox", "off"],
  ]);
});

test("an app cannot ask itself out of it", () => {
  const owner = "app:1";
  expect(outcome("off", "auto", { owner })).toBe("sandbox-required");
  expect(outcome("off", "on", { owner })).toBe("sandbox-required");
  expect(outcome("off", "off", { owner })).toBe("off");
});
