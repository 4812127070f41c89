// Every problem code fits the shape on the wire.
import { expect, test } from "vitest";
import { Problem, problemCodes } from "./problem.ts";

test.each(Object.entries(problemCodes))("'%s' makes a valid problem", (code, { status, title }) => {
  expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(title).toMatch(/^[A-Z].*[^.]$/);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(600);
  const problem = {
    type: `urn:croft:problem:${code}`,
    title,
    status,
    code,
    detail: "because",
    request_id: "1",
  };
  expect(Problem.strict().parse(problem)).toEqual(problem);
});

test("wrong fields may be listed", () => {
  const errors = [{ path: "email", message: "must look like name@host" }];
  const parts = { type: "t", title: "t", status: 422, code: "invalid-input", detail: "d" };
  expect(Problem.parse({ ...parts, request_id: "1", errors }).errors).toEqual(errors);
});
