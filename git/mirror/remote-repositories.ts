// Questions about a remote that need no workspace: which commit a ref is, and what a file of it says.
import type { CommitId } from "../remote/commit-id.ts";
import type { RemoteAccess } from "../remote/remote-access.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import { resolveRef } from "../remote/resolve-ref.ts";
import type { Mirrors } from "./mirror.ts";
import { type FileWish, readFileOf } from "./read-file.ts";

export interface RemoteQuestion {
  readonly repository: RemoteUrl;
  readonly access?: RemoteAccess | undefined;
}

/** Each asks the remote with the caller's own credential first: what that does not show is not told. */
export class RemoteRepositories {
  readonly #mirrors: Mirrors;

  constructor(mirrors: Mirrors) {
    this.#mirrors = mirrors;
  }

  /** Branch, tag, `refs/pull/7/head` or a full commit id; the default branch without one. The mirror has it then. */
  async resolve(question: RemoteQuestion & { readonly ref?: string | undefined }) {
    const { repository, ref, access = {} } = question;
    const resolved = await resolveRef(repository, ref, access);
    return (await this.#mirrors.ensure(repository, resolved, access)).commit;
  }

  async readFile(question: RemoteQuestion & FileWish): Promise<Buffer | undefined> {
    const commit: CommitId = await this.resolve({ ...question, ref: question.commit });
    const { signal } = question.access ?? {};
    const gitDir = this.#mirrors.pathOf(question.repository);
    return await readFileOf({ ...question, commit }, { gitDir, signal });
  }
}
