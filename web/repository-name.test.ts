// Repositories are called by the end of their address, however that is written.
import { expect, test } from "vitest";
import { repositoryName } from "./repository-name.ts";

test.each([
  ["https://github.com/octocat/hello.git", "octocat/hello"],
  ["https://token@gitlab.example.com:8443/group/sub/hello/", "sub/hello"],
  ["http://127.0.0.1:8080/hello.git", "127.0.0.1/hello"],
  ["git@github.com:octocat/hello.git", "octocat/hello"],
  ["ssh://git@example.com:2222/octocat/hello", "octocat/hello"],
  ["/srv/git/hello.git", "git/hello"],
])("%s is %s", (address, name) => {
  expect(repositoryName(address)).toBe(name);
});
