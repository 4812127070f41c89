// Which runs get a check run, and on which commit before they have begun.
import { expect, test } from "vitest";
import type { RunRow } from "../runs/run-rows.ts";
import { type CheckPlace, checkPlace } from "./check-place.ts";

const SHA = "1234567890".repeat(4);
type Parts = Parameters<typeof checkPlace>[0];

function placeOf(event: object, head = ""): CheckPlace | undefined {
  const config = { git: { allowHttp: [], allowLocal: false } };
  const github = { host: "github.com" };
  const run = {
    ...{
      text: `name: review\n${head}steps: { a: { run: x } }\n`,
      file: null,
      owner: "installation:1",
    },
    ...{ repository: "https://github.com/meadow/handbook", commit: null, inputs: {}, event },
  };
  return checkPlace({ config, github } as unknown as Parts, run as unknown as RunRow);
}

test.each([
  ["pull_request", { pull_request: { head: { sha: SHA } } }],
  ["merge_group", { merge_group: { head_sha: SHA } }],
  ["push", { head_commit: { id: SHA }, after: "0".repeat(40) }],
  ["push", { after: SHA }],
])("one of %s has a check on the event's commit", (event, payload) => {
  expect(placeOf({ event, ...payload })).toEqual({
    ...{ repository: "meadow/handbook", headSha: SHA, name: "review" },
  });
});

test("of other events there is one if the pipeline says so, and of none if it says so", () => {
  expect(placeOf({ event: "issues" })).toBeUndefined();
  expect(placeOf({ event: "issues" }, "check: true\n")).toMatchObject({ headSha: undefined });
  expect(placeOf({ event: "push", after: SHA }, "check: false\n")).toBeUndefined();
});
