// A short absence of the database is waited out; an error of another kind is not.
import { expect, test } from "vitest";
import { tryAgain } from "./try-again.ts";

function failing(times: number, error: Error) {
  let calls = 0;
  const work = async () => {
    if (++calls <= times) throw error;
    return calls;
  };
  return { work, calls: () => calls };
}

test("goes on as soon as the database is back", async () => {
  const away = Object.assign(new Error("the database system is in recovery mode"), {
    code: "57P03",
  });
  expect(await tryAgain(failing(2, away).work)).toBe(3);
});

test("a wrong statement fails at once", async () => {
  const wrong = failing(1, Object.assign(new Error("syntax error"), { code: "42601" }));
  await expect(tryAgain(wrong.work)).rejects.toThrow("syntax error");
  expect(wrong.calls()).toBe(1);
});
