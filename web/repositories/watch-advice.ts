// What to do about a watch that fails, by the code of its error.

const advice: Record<string, string> = {
  "credential-refused":
    "The remote does not accept the credential any more. Replace it on the app's page, or choose another one here: the watch goes on from where it is.",
  "credential-missing":
    "The credential was removed, or has expired, or is for another address. Add one on the app's page, or choose another one here.",
  "repository-not-found":
    "The remote says that there is no such repository, which many also say to whoever may not see it. Check the address and the credential.",
  "ref-not-found":
    "The branch or tag is gone. If it was renamed, change the ref; if it comes back, the watch goes on by itself.",
  "remote-unreachable": "The remote does not answer. It is asked again by itself.",
  "unknown-host":
    "The name of the host is not known at the moment. It is looked up again by itself.",
  "credential-unreadable":
    "The stored credential cannot be decrypted, perhaps because the server's key has changed. Store it once more on the app's page.",
  "path-too-deep":
    "The repository has directories nested deeper than Croft tells apps of. Leave them out with `exclude`.",
  "too-many-files":
    "The repository has more files than one sync may have. Watch a part of it with `include`.",
  "git-not-started":
    "The server could not start git, for want of memory or processes. It is tried again by itself.",
  "private-address":
    "The host's name leads to a private address, where Croft does not go. Name the host in `CROFT_ALLOW_PRIVATE` if it should.",
};

export function watchAdvice(code: string): string {
  return advice[code] ?? "It is tried again by itself. The server's log may say more.";
}
