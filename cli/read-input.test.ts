// The input of a job, in every way that a command line can say it.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../test/support/scratch-directory.ts";
import { readInput } from "./read-input.ts";

class Refused extends Error {}

const refuse = (message: string): never => {
  throw new Refused(message);
};

test("objects, files and fields add up, the last word counts", async () => {
  const file = join(await scratchDirectory(), "input.json");
  await writeFile(file, '{"a": 1, "b": "from the file"}');
  const given = [`@${file}`, '{"b": 2, "c": [1]}', "d=x=y", "e:=null", "f=", "g:=", "a=one"];
  await expect(readInput(given, refuse)).rejects.toThrow("the input 'g' is no JSON");
  expect(
    await readInput(
      given.filter((each) => each !== "g:="),
      refuse,
    ),
  ).toEqual({
    ...{ a: "one", b: 2, c: [1], d: "x=y", e: null, f: "" },
  });
  expect(await readInput([], refuse)).toEqual({});
});

test("what is no object is refused, and a hostile name is only a name", async () => {
  for (const each of ["[1]", "1", "{", "@/nowhere", "=x"]) {
    await expect(readInput([each], refuse)).rejects.toThrow(Refused);
  }
  const input = await readInput(['{"__proto__": {"x": 1}}'], refuse);
  expect(Object.keys(input)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
});
