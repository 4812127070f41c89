// What a run is on, from what was typed and where.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../test/support/scratch-directory.ts";
import { type PlaceWish, placeOf } from "./run-place.ts";

async function scene() {
  const root = await scratchDirectory();
  const top = join(root, "checkout");
  for (const name of [".git", "ci", "host:name"]) mkdirSync(join(top, name), { recursive: true });
  for (const file of ["checkout/ci/a.yaml", "b.yaml"]) writeFileSync(join(root, file), "");
  const place = (wish: Partial<PlaceWish>) =>
    placeOf({
      ...{ dirty: false, file: "a.yaml", namesRepository: false, isElsewhere: false },
      ...{ directory: join(top, "ci"), ...wish },
    });
  return { root, top, place };
}

test("without a repository it is on the checkout, and the file is named from its top", async () => {
  const { root, top, place } = await scene();
  const checkout = { path: top, uncommitted: false };
  expect(place({})).toEqual({ checkout, file: "ci/a.yaml" });
  expect(place({ dirty: true })).toMatchObject({ checkout: { uncommitted: true } });
  expect(place({ file: "../../b.yaml" })).toEqual({ checkout, file: "../../b.yaml" });
  expect(place({ repo: "..", directory: join(top, "ci") })).toEqual({
    ...{ checkout, file: "ci/a.yaml" },
  });
  expect(place({ repo: "checkout", directory: root, file: "b.yaml" })).toEqual({
    ...{ checkout, file: "b.yaml" },
  });
});

test("an empty name is no way to say this checkout", async () => {
  const { place } = await scene();
  expect(() => place({ repo: "" })).toThrow("--repo is empty");
});

test("a repository that is named, with a host, is a remote", async () => {
  const { place } = await scene();
  const repo = "https://git.example/a/b";
  expect(place({ repo })).toEqual({ repository: repo, file: "a.yaml" });
  expect(place({ repo: "git@git.example:a/b" })).toMatchObject({
    repository: "git@git.example:a/b",
  });
  expect(place({ namesRepository: true })).toEqual({ file: "a.yaml" });
  expect(place({ isElsewhere: true })).toEqual({ file: "a.yaml" }); // the server says what is missing
});

test("what cannot be is told with the way out", async () => {
  const { root, place } = await scene();
  expect(() => place({ directory: root, file: "b.yaml" })).toThrow(/which repository\?.*--repo/);
  expect(() => place({ repo: "/nowhere" })).toThrow("'/nowhere' is not in a git repository");
  expect(() => place({ repo: ".", isElsewhere: true })).toThrow("elsewhere: name a URL");
  expect(() => place({ repo: "https://git.example/a", dirty: true })).toThrow("--dirty is for");
  expect(() => place({ namesRepository: true, dirty: true })).toThrow("--dirty is for");
});
