// An error is logged by what it is, never with the objects that hang on it.
import pg from "pg";
import { expect, test } from "vitest";
import { describeError } from "./describe-error.ts";

test("name, message, code and stack are told, other properties are not", () => {
  const error = Object.assign(new TypeError("broken"), {
    code: "E_BROKEN",
    client: { password: "hunter2" },
  });
  expect(describeError(error)).toEqual({
    type: "TypeError",
    message: "broken",
    code: "E_BROKEN",
    stack: error.stack,
  });
});

test("a real error of the database driver brings no connection settings", async () => {
  const client = new pg.Client({ host: "/nowhere", user: "croft", password: "hunter2" });
  const error = await client.connect().catch((reason: unknown) => reason);
  expect(describeError(error)).toMatchObject({ type: "Error", code: "ENOENT" });
  expect(JSON.stringify(describeError(error))).not.toContain("hunter2");
});

test("causes are followed", () => {
  const error = new Error("outer", { cause: new Error("middle", { cause: "inner" }) });
  expect(describeError(error)).toMatchObject({
    message: "outer",
    cause: { message: "middle", cause: { type: "string", message: "inner" } },
  });
});

test("causes that go round in a circle end", () => {
  const error = new Error("round");
  error.cause = error;
  expect(JSON.stringify(describeError(error)).match(/"message":"round"/g)?.length).toBe(6);
});

test.each([
  ["thrown", { type: "string", message: "thrown" }],
  [undefined, { type: "undefined", message: "undefined" }],
  [null, { type: "object", message: "null" }],
  [42, { type: "number", message: "42" }],
  [Symbol("s"), { type: "symbol", message: "Symbol(s)" }],
])("%s is described though it is no error", (thing, expected) => {
  expect(describeError(thing)).toEqual(expected);
});

test("a code that is no text is left out", () => {
  expect(describeError(Object.assign(new Error("x"), { code: 5 }))).not.toHaveProperty("code");
});
