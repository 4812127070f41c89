// What is kept of a tree is bounded, whatever its directories are called.
import { expect, test } from "vitest";
import { gatherTree } from "./gather-tree.ts";

test("no name of a directory is kept that is longer than a name can be", async () => {
  async function* tree() {
    for (const letter of ["a", "b"]) {
      const part = letter.repeat(4000);
      const path = Buffer.from(`${part}/${part}/${part}.ts`);
      yield [{ path, mode: "100644", blob: "", size: 3 }];
    }
    yield [{ path: Buffer.from("ü/é/x"), mode: "100644", blob: "", size: 1 }];
  }
  const { directories, files } = await gatherTree(tree(), new Set(), () => {});
  expect(files).toBe(3);
  const of = (letter: string) => ({ bytes: 3, files: 1, name: `${letter.repeat(255)}/` });
  const inside = (letter: string) => [{ bytes: 3, files: 1, name: letter.repeat(255) }];
  expect(directories).toEqual([
    { ...of("a"), children: inside("a") },
    { ...of("b"), children: inside("b") },
    { bytes: 1, files: 1, name: "ü/", children: [{ bytes: 1, files: 1, name: "é" }] },
  ]);
});
