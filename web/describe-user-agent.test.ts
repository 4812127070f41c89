// User agents that are seen in practice, and what people read instead.
import { expect, test } from "vitest";
import { describeUserAgent } from "./describe-user-agent.ts";

const mozilla = "Mozilla/5.0";
const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [
    `${mozilla} (X11; Linux x86_64) ${webkit} Chrome/156.0.0.0 Safari/537.36`,
    "Chrome 156 on Linux",
  ],
  [
    `${mozilla} (Windows NT 10.0; Win64; x64) ${webkit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0`,
    "Edge 156 on Windows",
  ],
  [
    `${mozilla} (Macintosh; Intel Mac OS X 15.2; rv:150.0) Gecko/20100101 Firefox/150.0`,
    "Firefox 150 on macOS",
  ],
  [
    `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15`,
    "Safari 26 on macOS",
  ],
  [
    `${mozilla} (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1`,
    "Safari 26 on iPhone",
  ],
  [
    `${mozilla} (Linux; Android 16; K) ${webkit} Chrome/156.0.0.0 Mobile Safari/537.36`,
    "Chrome 156 on Android",
  ],
  [
    `${mozilla} (X11; Linux x86_64) ${webkit} HeadlessChrome/156.0.0.0 Safari/537.36`,
    "Headless Chrome 156 on Linux",
  ],
  ["curl/8.11.0", "curl 8.11.0"],
  ["croft/0.1.0 node/20.20.2", "croft 0.1.0"],
  ["", "Unknown program"],
])("%s is described in words", (userAgent, expected) => {
  expect(describeUserAgent(userAgent).name).toBe(expected);
});

test("phones, desktops and programs are told apart", () => {
  const kind = (userAgent: string) => describeUserAgent(userAgent).kind;
  expect(
    kind(`${mozilla} (Linux; Android 16; K) ${webkit} Chrome/156.0.0.0 Mobile Safari/537.36`),
  ).toBe("phone");
  expect(kind(`${mozilla} (X11; Linux x86_64) ${webkit} Chrome/156.0.0.0 Safari/537.36`)).toBe(
    "desktop",
  );
  expect(kind("curl/8.11.0")).toBe("terminal");
});
