// The last two parts of a repository's address: `octocat/hello`, or `example.com/hello` where there is only one.

export function repositoryName(address: string): string {
  return address
    .replace(/^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?/i, "$1") // a port is no part of a name
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split(/[/:]/)
    .slice(-2)
    .join("/");
}
