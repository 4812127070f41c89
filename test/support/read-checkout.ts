// What lies in a checkout, byte for byte, so that two can be compared.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Paths as latin1 with kind, mode and content of each; `.git` at the top is left out. */
export function readCheckout(root: string): Map<string, string> {
  const found = new Map<string, string>();
  readBelow(Buffer.from(root), "", found);
  return found;
}

/** What differs, in words; empty when nothing does. */
export function differences(expected: Map<string, string>, actual: Map<string, string>): string[] {
  const paths = [...new Set([...expected.keys(), ...actual.keys()])].sort();
  return paths
    .filter((path) => expected.get(path) !== actual.get(path))
    .map(
      (path) =>
        `${path}: ${expected.get(path) ?? "nothing"} became ${actual.get(path) ?? "nothing"}`,
    );
}

function readBelow(root: Buffer, directory: string, found: Map<string, string>): void {
  const absolute = (path: string) =>
    Buffer.concat([root, Buffer.from("/"), Buffer.from(path, "latin1")]);
  for (const name of readdirSync(absolute(directory), { encoding: "latin1" })) {
    if (directory === "" && name === ".git") continue;
    const path = directory === "" ? name : `${directory}/${name}`;
    const stats = lstatSync(absolute(path));
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isSymbolicLink()) {
      found.set(path, `link to ${readlinkSync(absolute(path), { encoding: "latin1" })}`);
    } else if (stats.isDirectory()) {
      found.set(path, `directory ${mode}`);
      readBelow(root, path, found);
    } else if (stats.isFile()) {
      const hash = createHash("sha256").update(readFileSync(absolute(path)));
      found.set(path, `file ${mode} ${stats.size} ${hash.digest("hex")}`);
    } else {
      found.set(path, `device ${stats.rdev}`); // an overlay's mark that something is gone
    }
  }
}
