// Which repositories at GitHub results can be for.
import { expect, test } from "vitest";
import { fullNameOf } from "./result-target.ts";

const app = { host: "github.com" };
const named = (path: string, host = "github.com") => fullNameOf(app, { host, path });

test("names as GitHub has them, also of accounts that an enterprise manages", () => {
  for (const path of ["acme/tools", "ada-l/x.y_z", "octocat_acme/tools"]) {
    expect(named(path)).toBe(path);
  }
});

test("what is no name there, or elsewhere, is none", () => {
  for (const path of ["tools", "a/b/c", "_acme/tools", "a b/c", "../x"]) {
    expect(named(path)).toBeUndefined();
  }
  expect(named("acme/tools", "example.org")).toBeUndefined();
});
