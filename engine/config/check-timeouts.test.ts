// An inner timeout that would outlive the outer one is a configuration error.
import { expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";

const load = (flags: Record<string, string>) =>
  loadConfig({ flags, env: {}, directory: "/nowhere", uid: 1000, home: "/home/croft" });

test.each([
  [
    { "git.timeout": "60m", "job.timeout": "60m" },
    "git.timeout (3600000 ms) must be shorter than job.timeout (3600000 ms)",
  ],
  [
    { "shutdown.killGrace": "31s" },
    "shutdown.killGrace (31000 ms) must be shorter than shutdown.drain (30000 ms)",
  ],
  [
    { "session.idle": "31d" },
    "session.idle (2678400000 ms) must not be longer than session.lifetime (2592000000 ms)",
  ],
])("%o is refused", async (flags, violation) => {
  await expect(load(flags)).rejects.toMatchObject({
    code: "config-invalid",
    message: `invalid configuration: ${violation}`,
  });
});

test("all violations are told at once", async () => {
  const flags = { "git.timeout": "2h", "session.lifetime": "1d" };
  await expect(load(flags)).rejects.toThrow(/git\.timeout.*; session\.idle/);
});

test("timeouts that end in the right order are accepted, also at the edge", async () => {
  const { config } = await load({
    "git.timeout": "999ms",
    "job.timeout": "1s",
    "session.idle": "30d",
    "session.lifetime": "30d",
  });
  expect(config.git.timeout).toBeLessThan(config.job.timeout);
  expect(config.session.idle).toBe(config.session.lifetime);
});
