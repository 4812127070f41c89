// Turns a user agent header into words: which browser, on which system, on a phone or not.

export interface Device {
  name: string;
  kind: "desktop" | "phone" | "terminal";
}

/** In this order: most browsers also carry the names of those after them. */
const browsers: readonly [pattern: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\bSamsungBrowser\/(\d+)/, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/\bHeadlessChrome\/(\d+)/, "Headless Chrome"],
  [/\b(?:Chrome|CriOS)\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+)[\d.]* .*Safari\//, "Safari"],
];

const systems: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

const programNameLength = 40;

export function describeUserAgent(userAgent: string): Device {
  const browser = browsers
    .map(([pattern, name]) => ({ name, match: pattern.exec(userAgent) }))
    .find(({ match }) => match !== null);
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return describeProgram(userAgent);
  const name = `${browser.name} ${browser.match?.[1] ?? ""}`.trim();
  const phone = /\bMobile\b|\biPhone\b/.test(userAgent);
  return {
    name: system === undefined ? name : `${name} on ${system}`,
    kind: phone ? "phone" : "desktop",
  };
}

/** `curl/8.11.0` and the like: the product and its version are the clearest words there are. */
function describeProgram(userAgent: string): Device {
  const [product = "", version] = (userAgent.trim().split(/\s+/)[0] ?? "").split("/");
  const name = [product, version].filter(Boolean).join(" ").slice(0, programNameLength);
  return { name: name === "" ? "Unknown program" : name, kind: "terminal" };
}
