// The full name of a commit: the only name of a revision that is trusted.

export type CommitId = string & { readonly brand: "CommitId" };

/** SHA-1: repositories with SHA-256 are refused when their refs are read. */
const PATTERN = /^[0-9a-f]{40}$/;

export function isCommitId(text: string): text is CommitId {
  return PATTERN.test(text);
}

export function commitId(text: string): CommitId {
  if (!isCommitId(text)) throw new Error(`not a full commit id: '${text.slice(0, 80)}'`);
  return text;
}
