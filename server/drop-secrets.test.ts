// Values of secret keys are replaced wherever they stand; everything else is logged as it is.
import { expect, test } from "vitest";
import { dropSecrets, SECRET_KEYS } from "./drop-secrets.ts";

const textOf = (details: Record<string, unknown>) => JSON.stringify(dropSecrets(details));

test.each(SECRET_KEYS)("'%s' is replaced at every depth, in whatever case", (key) => {
  const hidden = { [key]: "hunter2", [key.toUpperCase()]: { deep: "hunter2" } };
  const text = textOf({ ...hidden, a: hidden, b: { c: [{ d: hidden }] } });
  expect(text).not.toContain("hunter2");
  expect(text.match(/\[redacted\]/g)).toHaveLength(6);
});

class Credentials {
  readonly token = "hunter2";
}

test.each<[string, unknown]>([
  [
    "without a prototype, as a parsed query is",
    Object.assign(Object.create(null), { token: "hunter2" }),
  ],
  ["of a class", new Credentials()],
  [
    "that is an error under another name than err",
    Object.assign(new Error("x"), { token: "hunter2" }),
  ],
])("an object %s hides its secrets too", (_kind, thing) => {
  expect(textOf({ thing })).not.toContain("hunter2");
  expect(textOf({ list: [thing] })).not.toContain("hunter2");
});

test("what is no secret stays as it is", () => {
  const details = {
    user: "ada",
    tokens: 3,
    at: new Date(0),
    nothing: null,
    list: [1, "two", { three: true }],
    url: "http://localhost:4747",
  };
  expect(dropSecrets(details)).toEqual(details);
});

test("what is logged is not changed itself", () => {
  const details = { request: { password: "hunter2" } };
  dropSecrets(details);
  expect(details.request.password).toBe("hunter2");
});

test("a circle and a very deep thing end", () => {
  const circle: Record<string, unknown> = { name: "round" };
  circle["self"] = circle;
  expect(textOf(circle)).toContain("[deep]");
  let deep: Record<string, unknown> = { token: "hunter2" };
  for (let level = 0; level < 10_000; level++) deep = { deep };
  expect(textOf(deep)).not.toContain("hunter2");
});
