// A refusal is shown at the field that it is about, and otherwise beside the form.
import { expect, test } from "vitest";
import { fieldMistake, isUntold } from "./field-mistake.ts";
import { ProblemError } from "./problem-error.ts";

function problem(detail: string, errors: { path: string; message: string }[] = []) {
  const rest = { type: "urn", request_id: "r" };
  return new ProblemError({
    code: "invalid-input",
    status: 422,
    title: "No",
    detail,
    errors,
    ...rest,
  });
}

test("the list of fields comes first, also for one value of a list", () => {
  const error = problem("not valid: email: must be an address", [
    { path: "include.3", message: "too long" },
  ]);
  expect(fieldMistake(error, "include")).toBe("Too long.");
  expect(fieldMistake(error, "email")).toBe("Must be an address.");
  expect(fieldMistake(error, "name")).toBeUndefined();
});

test("a reason in words names its field", () => {
  const error = problem("not valid: base_url must begin with https://");
  expect(fieldMistake(error, "base_url")).toBe("Must begin with https://.");
  expect(isUntold(error, ["base_url", "name"])).toBe(false);
  expect(isUntold(error, ["name"])).toBe(true);
  expect(isUntold(problem("not valid: the remote does not answer"), ["url"])).toBe(true);
  expect(isUntold(null, ["name"])).toBe(false);
  expect(fieldMistake(new Error("not valid: url: x"), "url")).toBeUndefined();
});
