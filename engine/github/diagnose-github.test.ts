// The diagnosis says what is missing, by name, and what to do about it; a set-up that is right has no warning.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { startFakeGithub } from "../../test/support/start-fake-github.ts";
import { diagnoseGithub } from "./diagnose-github.ts";

async function scene(flags: Record<string, string> = {}) {
  const github = await startFakeGithub();
  const engine = await scratchEngine({
    ...{ ...github.settings, "http.publicUrl": "https://croft.example.org" },
    ...flags,
  });
  github.webhookUrl = "https://croft.example.org/webhooks/github";
  const installation = github.addInstallation({ account: "acme" });
  await github.addRepository(installation, "one");
  const diagnosed = async () => {
    const { ok, checks } = await diagnoseGithub(engine);
    return { ok, checks: Object.fromEntries(checks.map((check) => [check.name, check])) };
  };
  return { github, engine, installation, diagnosed };
}

test("all is well", async () => {
  const { diagnosed, installation } = await scene();
  const { ok, checks } = await diagnosed();
  expect(ok).toBe(true);
  expect(Object.values(checks).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  expect(checks["app"]?.detail).toContain("'Croft' of owner, as croft[bot]");
  expect(checks[`installation-${installation.id}`]?.detail).toMatch(
    /^acme: gives a token, 1 repository, \d+ of 5000 requests left$/,
  );
});

test("without an App, and with another App's key", async () => {
  const none = await diagnoseGithub({
    github: undefined,
    config: (await scratchEngine()).config,
  });
  expect(none).toMatchObject({ ok: false, checks: [{ name: "app", outcome: "failed" }] });
  const other = await startFakeGithub();
  const { diagnosed } = await scene({ "github.privateKey": other.privateKey });
  const { ok, checks } = await diagnosed();
  expect(ok).toBe(false);
  expect(checks).toEqual({ app: expect.objectContaining({ outcome: "failed" }) });
  expect(checks["app"]?.advice).toContain("must be of one App");
});

test("each permission and event that is missing is named", async () => {
  const { github, diagnosed, installation } = await scene();
  github.state.permissions = { metadata: "read", contents: "read", issues: "write" };
  github.state.events = ["push", "pull_request"];
  installation.permissions = github.state.permissions;
  const { ok, checks } = await diagnosed();
  expect(ok).toBe(false);
  const missing = "contents: write, pull_requests: write, checks: write";
  expect(checks["permissions"]).toMatchObject({ outcome: "failed", detail: `missing: ${missing}` });
  expect(checks["events"]?.outcome).toBe("warning");
  expect(checks["events"]?.detail).toContain("issue_comment");
  expect(checks["events"]?.detail).not.toContain("push");
  expect(checks[`installation-${installation.id}`]).toMatchObject({ outcome: "warning" });
  expect(checks[`installation-${installation.id}`]?.detail).toContain(missing);
});

test("a webhook that leads elsewhere, and deliveries that were refused", async () => {
  const { github, diagnosed } = await scene();
  github.webhookUrl = "https://elsewhere.example.org/hook";
  await github.lose("ping", {});
  const { checks } = await diagnosed();
  expect(checks["webhook"]).toMatchObject({ outcome: "failed" });
  expect(checks["webhook"]?.advice).toContain("https://croft.example.org/webhooks/github");
  expect(checks["deliveries"]).toMatchObject({ outcome: "warning" });
  github.webhookUrl = "https://other.example.org/webhooks/github";
  expect((await diagnosed()).checks["webhook"]).toMatchObject({ outcome: "warning" });
});

test("an installation that is suspended, gone silent, or nearly out of requests", async () => {
  const { github, diagnosed, installation } = await scene();
  const suspended = github.addInstallation({ account: "asleep" });
  suspended.suspended = true;
  const broken = github.addInstallation({ account: "broken" });
  github.faults = [{ kind: "status", status: 500, of: new RegExp(`${broken.id}/access_tokens$`) }];
  installation.rateLimit.remaining = 100;
  const { ok, checks } = await diagnosed();
  expect(ok).toBe(false);
  const of = ({ id }: { readonly id: number }) => checks[`installation-${id}`]?.outcome;
  expect([of(installation), of(suspended), of(broken)]).toEqual(["warning", "warning", "failed"]);
});

test("a server without limits, as a GitHub Enterprise Server is at first", async () => {
  const { github, diagnosed, installation } = await scene();
  const body = '{"message":"Rate limiting is not enabled."}';
  github.faults = [{ kind: "status", status: 404, of: /rate_limit$/, body }];
  const { ok, checks } = await diagnosed();
  expect(ok).toBe(true);
  expect(checks[`installation-${installation.id}`]).toMatchObject({ outcome: "ok" });
  expect(checks[`installation-${installation.id}`]?.detail).toContain("no limit");
});

test("a clock that is far off is told, and allowed for", async () => {
  const { github, diagnosed } = await scene();
  github.advance(-120_000);
  const { ok, checks } = await diagnosed();
  expect(ok).toBe(true);
  expect(checks["clock"]).toMatchObject({ outcome: "warning" });
  expect(checks["clock"]?.detail).toMatch(/^1[12]\d s ahead of GitHub's/);
});
