// What becomes of an event that could not be handled, by what went wrong, how often it did, and how long it has waited.
import { expect, test } from "vitest";
import { GithubError } from "./github-error.ts";
import { judgeFailure } from "./judge-failure.ts";

const DAY_MS = 24 * 3_600_000;
const tried = (failures: number, waitedMs = 0) => ({ failures, refusals: failures, waitedMs });

test("what is wrong with the event itself is tried three times", () => {
  const error = new Error("no such thing");
  const judged = [0, 1, 2].map((failures) => judgeFailure(error, tried(failures)));
  expect(judged).toEqual([
    { status: "pending", afterMs: 1000, code: "not-handled" },
    { status: "pending", afterMs: 5000, code: "not-handled" },
    { status: "failed" },
  ]);
});

test("GitHub's own faults are waited out, however often, for a day from when the event came", () => {
  const away = new GithubError("away", { code: "github-unavailable", status: 502 });
  const waits = [0, 1, 2, 3, 4, 5, 500].map((failures) => judgeFailure(away, tried(failures)));
  expect(waits).toMatchObject(
    [1000, 5000, 30_000, 120_000, 300_000, 300_000, 300_000].map((afterMs) => ({
      ...{ status: "pending", afterMs, code: "github-away" },
    })),
  );
  expect(judgeFailure(away, tried(300, DAY_MS))).toMatchObject({ status: "pending" });
  expect(judgeFailure(away, tried(0, DAY_MS + 1))).toEqual({ status: "failed" });
});

test("nothing is asked before the time that GitHub names, if that is believable", () => {
  const limited = (retryAfterMs: number, failures = 0) => {
    const error = new GithubError("slower", { code: "github-rate-limit", retryAfterMs });
    return judgeFailure(error, tried(failures));
  };
  expect(limited(90_000)).toMatchObject({ afterMs: 90_000 });
  expect(limited(90_000, 4)).toMatchObject({ afterMs: 300_000 });
  expect(limited(90_000_000)).toMatchObject({ afterMs: 3_600_000 });
});

test.each([401, 403, 404])(
  "a refusal with %i is tried three times, and not waited out",
  (status) => {
    const refused = new GithubError("no", { code: "github-no-access", status });
    expect(judgeFailure(refused, tried(1))).toMatchObject({ status: "pending", afterMs: 5000 });
    expect(judgeFailure(refused, tried(2))).toEqual({ status: "failed" });
    // What was GitHub's own fault before takes none of them away.
    const waited = { failures: 100, refusals: 0, waitedMs: DAY_MS };
    expect(judgeFailure(refused, waited)).toMatchObject({ status: "pending", afterMs: 1000 });
  },
);

test("that the database is away is no fault of the event", () => {
  const away = Object.assign(new Error("terminating connection"), { code: "57P01" });
  expect(judgeFailure(away, tried(100))).toMatchObject({ status: "pending", code: undefined });
});

test.each(["57014", "55P03", "25P03"])(
  "what takes longer than the database allows (%s) is the event's own failure: told, and given up after three tries",
  (code) => {
    const late = Object.assign(new Error("canceling statement"), { code });
    expect(judgeFailure(late, tried(0))).toEqual({
      ...{ status: "pending", afterMs: 1000, code: "not-handled" },
    });
    expect(judgeFailure(late, tried(2))).toEqual({ status: "failed" });
  },
);
