// A handler gets the files of a repository in one go, as many as there are, and not more than is good.
import { expect, test, vi } from "vitest";
import { handlerScene } from "../../test/support/handler-scene.ts";
import { makeBomb } from "../../test/support/make-bomb.ts";
import { makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";

const LIST = `async ({ repository, directory, input }) => {
  const { list } = await repository(input.url);
  const failed = [];
  const lists = await Promise.all([...input.prefixes, "x\\0/"].map((prefix) => list(prefix).catch((error) => {
    failed.push(error.code + " " + error.message);
    return [];
  })));
  const { readdirSync } = await import("node:fs");
  return { failed, left: readdirSync(directory).length, first: lists[0].slice(0, 2), counts: lists.map(({ length }) => length) };
}`;

test("one git lists all files, whatever their number, and nothing is left of the listing", async () => {
  const url = await makeRepository(await scratchDirectory(), "many", { files: 12_000, odd: true });
  const scene = await handlerScene({
    handlers: { list: LIST },
    flags: { "git.allowLocal": "true" },
  });
  const { contents } = await scene.engine.git();
  const [tree, pages] = [vi.spyOn(contents, "tree"), vi.spyOn(contents, "listFiles")];
  const prefixes = [
    "",
    "src/d0/",
    "src/d0/e1",
    "line\nbr",
    "empty",
    "empty/",
    "/",
    "../",
    "src//d0/",
  ];
  const { result, error } = await scene.run("list", { input: { url, prefixes } });
  expect(error).toBeNull();
  expect(result).toMatchObject({
    ...{ failed: [], left: 0, counts: [12_009, 2000, 550, 1, 1, 0, 0, 0, 0, 0] },
    first: [
      { path: "-leading-dash", bytes: 5, mode: "100644" },
      { path: ".gitattributes", bytes: 13, mode: "100644" },
    ],
  });
  expect(tree).toHaveBeenCalledTimes(6);
  expect(pages).not.toHaveBeenCalled();
});

test("a listing that is too long fails with its limit, and leaves no file behind", async () => {
  const url = await makeBomb(await scratchDirectory(), { depth: 6, nameLength: 200 });
  const scene = await handlerScene({
    handlers: { list: LIST },
    flags: { "git.allowLocal": "true" },
  });
  const prefix = `${"0".repeat(200)}/${"1".repeat(200)}/${"2".repeat(200)}/`;
  const { result, error } = await scene.run("list", { input: { url, prefixes: ["", prefix] } });
  expect(error).toBeNull();
  expect(result).toMatchObject({ left: 0, counts: [0, 1000, 0] });
  expect(result).toMatchObject({
    failed: [expect.stringMatching(/^too-many-files more than 1000000 files, or 268435456 bytes/)],
  });
});
