// Two spellings of one remote are one address; what could harm is refused without being repeated.
import { expect, test } from "vitest";
import { directoryNameOf, parseRemoteUrl } from "./remote-url.ts";

test.each([
  ["https://github.com/o/n", "https://github.com/o/n.git"],
  ["https://github.com/o/n.git", "https://github.com/o/n.git"],
  ["https://GitHub.com:443/o/n/", "https://github.com/o/n.git"],
  [" https://github.com//o//n ", "https://github.com/o/n.git"],
  ["https://git.example.org:8443/a/b/c.git", "https://git.example.org:8443/a/b/c.git"],
  ["https://example.org/sp%20ace/%C3%BC", "https://example.org/sp%20ace/%C3%BC.git"],
  ["git@github.com:o/n.git", "ssh://git@github.com/o/n.git"],
  ["github.com:o/n", "ssh://git@github.com/o/n.git"],
  ["ssh://git@GitHub.com/o/n", "ssh://git@github.com/o/n.git"],
  ["ssh://github.com:22/o/n.git", "ssh://git@github.com/o/n.git"],
  ["ssh://me@host:2222/o/n", "ssh://me@host:2222/o/n.git"],
  ["ssh://git@%67ithub.com./o/n", "ssh://git@github.com/o/n.git"],
  ["ssh://git@[::1]:2222/o/n", "ssh://git@[::1]:2222/o/n.git"],
  ["ssh://host/o/%252e%252e/n%20x", "ssh://git@host/o/%252e%252e/n%20x.git"],
  ["git@host:o/100%25", "ssh://git@host/o/100%2525.git"],
  ["https://github.com./o%2Fn", "https://github.com/o/n.git"],
])("'%s' is %s", (input, text) => {
  const remote = parseRemoteUrl(input);
  expect(remote.text).toBe(text);
  expect(parseRemoteUrl(text)).toEqual(remote);
});

test.each([
  ["nothing", ""],
  ["a word", "word"],
  ["credentials", "https://ada:hunter2@example.org/o/n"],
  ["a token", "https://hunter2@example.org/o/n"],
  ["a password for ssh", "ssh://git:hunter2@example.org/o/n"],
  ["plain http", "http://hunter2.example.org/o/n"],
  ["git://", "git://example.org/hunter2"],
  ["ext::", "ext::sh -c hunter2"],
  ["ext:: as scp", "ext::hunter2"],
  ["an option", "--upload-pack=hunter2"],
  ["an option as host", "ssh://-oProxyCommand=hunter2/x"],
  ["an option as scp host", "-oProxyCommand=hunter2:x"],
  ["an option as path", "https://example.org/--hunter2/x"],
  ["an option as user", "ssh://-l@example.org/hunter2"],
  ["a query", "https://example.org/o/n?x=hunter2"],
  ["a fragment", "https://example.org/o/n#hunter2"],
  ["dots", "https://example.org/o/%2e%2e/hunter2"],
  ["dots behind an encoded slash", "https://example.org/o%2F..%2Fhunter2/x"],
  ["dots before one", "https://example.org/o/..%2fhunter2"],
  ["dots of ssh", "ssh://example.org/o%2f%2e%2e%2fhunter2"],
  ["an encoded line break", "ssh://example.org/o%0ahunter2"],
  ["an encoded NUL", "https://example.org/o%00hunter2"],
  ["half a letter", "git@example.org:hunter2\ud83d"],
  ["a user name that is no text", "ssh://%ff@example.org/hunter2"],
  ["a host with spaces", "ssh://a%20b/hunter2"],
  ["no path", "https://hunter2.example.org/"],
  ["a line break", "https://example.org/o\n/hunter2"],
  ["a bad escape", "https://example.org/%zz/hunter2"],
  ["a path of the machine", "/etc/hunter2"],
  ["a file URL", "file:///etc/hunter2"],
  ["a novel", `https://example.org/${"hunter2".repeat(500)}`],
])("%s is refused and not repeated", (_what, input) => {
  const parse = () => parseRemoteUrl(input);
  expect(parse).toThrow("the repository's address is refused");
  expect(parse).not.toThrow(/hunter2/);
});

test("what the operator allows is accepted", () => {
  const local = parseRemoteUrl("/srv/git/x/", { allowLocal: true });
  expect(local).toMatchObject({ protocol: "file", text: "/srv/git/x" });
  expect(parseRemoteUrl("file:///srv/git/x", { allowLocal: true }).text).toBe("/srv/git/x");
  const rules = { allowHttp: ["127.0.0.1:8080"] };
  expect(parseRemoteUrl("http://127.0.0.1:8080/x", rules).protocol).toBe("http");
  expect(() => parseRemoteUrl("http://127.0.0.1:8081/x", rules)).toThrow("plain http");
});

test("directory names are readable, safe, and differ where slugs do not", () => {
  const names = [
    "https://a.example/o/n-x",
    "https://b.example/o/n-x",
    "https://a.example/o/N/X",
  ].map((input) => directoryNameOf(parseRemoteUrl(input)));
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{16}-o-n-x$/);
  expect(directoryNameOf(parseRemoteUrl("https://a.example/日本"))).toMatch(/^[0-9a-f]{16}$/);
});
