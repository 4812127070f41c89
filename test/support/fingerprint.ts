// Tells whether anything in a directory has changed.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Every name below a directory with its mode, owner and content: two equal lists are two equal directories. */
export function fingerprint(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "latin1" }).map((name) => {
    const path = Buffer.from(`${directory}/${name}`, "latin1");
    const stat = lstatSync(path);
    const content = stat.isFile()
      ? readFileSync(path)
      : stat.isSymbolicLink()
        ? readlinkSync(path)
        : "";
    const hash = createHash("sha256").update(content).digest("hex");
    return `${name} ${stat.mode.toString(8)} ${stat.uid} ${hash}`;
  });
}
