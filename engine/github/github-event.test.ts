// What is read from the bytes of an event: the same facts from every kind of payload, and nothing from what is none.
import { expect, test } from "vitest";
import { exampleEvents, exampleOf } from "../../test/support/example-events.ts";
import { factsOf, readPayload } from "./github-event.ts";

const read = (text: string) => readPayload(Buffer.from(text), false);

test("a pull request is found in its own events, comments, reviews and checks", () => {
  const numberOf = (event: string) => factsOf(exampleOf(event)).pullRequest;
  expect(numberOf("pull_request")).toBe(2);
  expect(numberOf("pull_request_review")).toBe(2);
  expect(numberOf("pull_request_review_comment")).toBe(2);
  expect(numberOf("issue_comment")).toBeUndefined(); // of an issue
  const issue = { number: 4, pull_request: { url: "x" } };
  expect(factsOf({ issue }).pullRequest).toBe(4);
  const repository = { id: 1 };
  const base = { repo: repository };
  expect(
    factsOf({ repository, check_run: { pull_requests: [{ number: 5, base }] } }).pullRequest,
  ).toBe(5);
  const two = {
    pull_requests: [
      { number: 5, base },
      { number: 6, base },
    ],
  };
  expect(factsOf({ repository, check_suite: two }).pullRequest).toBeUndefined();
  expect(numberOf("push")).toBeUndefined();
});

test("every example is read, and says the same after it was sent", () => {
  for (const { payload } of exampleEvents()) {
    const body = Buffer.from(JSON.stringify(payload));
    expect(readPayload(body, false)).toEqual(payload);
    const { repository, sender } = factsOf(payload);
    const said = payload["repository"] as { clone_url?: string; full_name: string } | undefined;
    if (said?.clone_url !== undefined) expect(repository?.fullName).toBe(said.full_name);
    if (payload["sender"] !== undefined) expect(sender?.login).not.toBe("");
  }
});

test("forms have the payload in a field", () => {
  const body = (fields: Record<string, string>) =>
    Buffer.from(new URLSearchParams(fields).toString());
  expect(readPayload(body({ payload: '{"action":"ö & ü"}' }), true)).toEqual({ action: "ö & ü" });
  expect(() => readPayload(body({ other: "{}" }), true)).toThrow("no field 'payload'");
});

test.each([
  ["nothing", ""],
  ["half of it", '{"a":'],
  ["a list", "[]"],
  ["null", "null"],
  ["a text", '"x"'],
  ["two", "{}{}"],
  ["far too deep", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
])("%s is no payload, and not quoted", (_what, text) => {
  expect(() => read(text)).toThrow("the body is not an object in JSON");
});

test("bytes that are no UTF-8 are no payload", () => {
  expect(() => readPayload(Buffer.from([0x7b, 0xff, 0x7d]), false)).toThrow("not an object");
});

test("what no database can keep is replaced, wherever it stands", () => {
  const text = String.raw`{"a\u0000":["\ud800","\ud83d\ude00",{"b":"x\u0000"}],"__proto__":{"c":"\udc00"}}`;
  const payload = read(text);
  expect(JSON.stringify(payload)).toBe(
    '{"a\ufffd":["\ufffd","\u{1f600}",{"b":"x\ufffd"}],"__proto__":{"c":"\ufffd"}}',
  );
  expect(({} as { c?: unknown }).c).toBeUndefined();
  expect(factsOf(read(String.raw`{"action":"a\u0000"}`)).action).toBe("a\ufffd");
});

test("numbers and names that are none are left out", () => {
  expect(
    factsOf({
      ...{ action: "x".repeat(401), installation: { id: 1.5 }, sender: { login: "" } },
      ...{ repository: { id: 1, full_name: "a/b" }, pull_request: { number: "3" } },
    }),
  ).toEqual({
    ...{ action: undefined, installation: undefined, sender: undefined },
    ...{ repository: undefined, pullRequest: undefined },
  });
});
