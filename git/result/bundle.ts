// A result as one file that `git fetch` can read: a bundle over a commit that everybody can have from the remote.
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { type CommitId, isCommitId } from "../remote/commit-id.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";

export interface BundleHead {
  readonly commit: CommitId;
  readonly base: CommitId;
}

const SIGNATURE = "# v2 git bundle";
const REF = "refs/croft/result";
const HEAD_BYTES_MAX = 4096;

export async function writeBundle(
  file: string,
  pack: string,
  { commit, base }: BundleHead,
): Promise<void> {
  async function* content() {
    yield Buffer.from(`${SIGNATURE}\n-${base} \n${commit} ${REF}\n\n`);
    yield* createReadStream(pack);
  }
  await pipeline(content, createWriteStream(file, { flags: "wx", mode: 0o600 }));
}

/**
 * What a pack receiver takes: the commit's id on a line, then the pack. The bundle must be about exactly this commit over
 * this base; whatever else it says is not believed, the pack itself is proven later.
 */
export async function* readBundle(
  bundle: AsyncIterable<Uint8Array>,
  { commit, base }: BundleHead,
): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of bundle) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\n\n");
    if (end === -1 ? head.length > HEAD_BYTES_MAX : end > HEAD_BYTES_MAX) throw refused();
    if (end === -1) continue;
    const found = parseHead(head.toString("latin1", 0, end));
    if (found?.commit !== commit || found.base !== base) throw refused();
    yield Buffer.from(`${commit}\n`);
    yield head.subarray(end + 2);
    head = undefined;
  }
  if (head !== undefined) throw refused();
}

function parseHead(text: string): BundleHead | undefined {
  const [signature, needed = "", offered = "", ...more] = text.split("\n");
  const base = /^-([0-9a-f]{40})(?: |$)/.exec(needed)?.[1] ?? "";
  const commit = /^([0-9a-f]{40}) refs\/\S+$/.exec(offered)?.[1] ?? "";
  if (signature !== SIGNATURE || more.length > 0 || !isCommitId(base) || !isCommitId(commit)) {
    return undefined;
  }
  return { commit, base };
}

function refused(): WorkspaceError {
  const what = "the bundle is refused: it is not one of this commit over this base";
  return new WorkspaceError("result-refused", what);
}
