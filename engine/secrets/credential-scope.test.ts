// A credential is for one host and what lies below one path there, and leads nowhere else.
import { parseRemoteUrl } from "@croft/git";
import { expect, test } from "vitest";
import { isFor, parseCredentialScope, urlOfScope } from "./credential-scope.ts";

test.each([
  ["token", "https://GitHub.com", "https://github.com"],
  ["token", "https://github.com/", "https://github.com"],
  ["token", "https://github.com/acme/tools.git", "https://github.com/acme/tools"],
  ["basic", "https://git.example.org:8443//acme/", "https://git.example.org:8443/acme"],
  ["ssh-key", "ssh://git@host:22/acme", "ssh://host/acme"],
  ["ssh-key", "ssh://host:2222", "ssh://host:2222"],
] as const)("%s for %s is written %s", (kind, text, url) => {
  const scope = parseCredentialScope(kind, text);
  expect(urlOfScope(scope)).toBe(url);
  expect(parseCredentialScope(kind, url)).toEqual(scope);
});

test.each([
  ["token", "http://github.com"],
  ["basic", "http://github.com"],
  ["token", "ssh://github.com"],
  ["ssh-key", "https://github.com"],
  ["token", "https://user@github.com"],
  ["token", "https://user:hunter2@github.com"],
  ["ssh-key", "ssh://git:hunter2@host"],
  ["token", "https://github.com/?a=hunter2"],
  ["token", "https://github.com/#hunter2"],
  ["token", "https://github.com/%zz"],
  ["token", "https://github.com/a%00b"],
  ["token", "hunter2"],
] as const)("%s for %s is refused, and the address not repeated", (kind, text) => {
  const attempt = () => parseCredentialScope(kind, text);
  expect(attempt).toThrow(expect.objectContaining({ code: "invalid-input" }));
  expect(attempt).not.toThrow(/hunter2/);
});

test.each([
  ["https://github.com", "https://github.com/acme/tools", true],
  ["https://github.com/acme", "https://github.com/acme/tools.git", true],
  ["https://github.com/acme/tools", "https://github.com/acme/tools", true],
  ["https://github.com/acme", "https://github.com/acme-evil/tools", false],
  ["https://github.com/acme", "https://github.com/ACME/tools", false],
  ["https://github.com/acme", "https://github.com.evil.org/acme/tools", false],
  ["https://github.com/acme", "https://github.com:8443/acme/tools", false],
  ["https://github.com/acme/tools", "https://github.com/acme/toolsets", false],
  ["https://github.com", "git@github.com:acme/tools", false],
  ["https://127.0.0.1:9/a", "http://127.0.0.1:9/a/b", false],
])("of %s and %s: %s", (scope, remote, expected) => {
  const url = parseRemoteUrl(remote, { allowHttp: ["127.0.0.1:9"] });
  expect(isFor(parseCredentialScope("token", scope), url)).toBe(expected);
});
