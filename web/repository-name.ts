// The last two parts of a repository's address: `octocat/hello`.

export function repositoryName(address: string): string {
  return address
    .replace(/\.git$/, "")
    .split(/[/:]/)
    .slice(-2)
    .join("/");
}
