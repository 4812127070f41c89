// Secrets in a stream: blotted out however it is cut, in time that grows with its length only.
import { expect, test } from "vitest";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { RedactStream } from "./redact-stream.ts";
import { SecretMask } from "./secret-mask.ts";

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where secrets stand, in their order. */
function placesOf(secrets: readonly string[], text: string): Place[] {
  const places: Place[] = [];
  for (const secret of secrets) {
    for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + 1)) {
      places.push({ start, end: start + secret.length });
    }
  }
  return places.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** As plainly as it can be said: one blot for each place, and for places that overlap. */
function blotPlainly(secrets: readonly string[], text: string): string {
  let out = "";
  let until = 0;
  for (const { start, end } of placesOf(secrets, text)) {
    if (start >= until) out += `${text.slice(until, start)}***`;
    until = Math.max(until, end);
  }
  return out + text.slice(until);
}

/** As it was done before, the longest first; of secrets that overlap, it left some characters. */
function replaceEach(secrets: readonly string[], text: string): string {
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((out, secret) => out.replaceAll(secret, "***"), text);
}

function redactPieces(stream: RedactStream, pieces: Iterable<string>): string {
  let out = "";
  for (const piece of pieces) out += stream.push(piece);
  return out + stream.end();
}

test("whatever the secrets and the pieces, it is as if the whole text were looked at", () => {
  const random = seededRandom(20_260_516);
  const word = (letters: string, length: number) =>
    Array.from({ length }, () => letters.charAt(random.below(letters.length))).join("");
  let compared = 0;
  for (let round = 0; round < 4000; round++) {
    const letters = ["ab", "ab ", "abc\n "][random.below(3)] ?? "";
    const secrets = Array.from({ length: 1 + random.below(4) }, () =>
      word(letters, 4 + random.below(4)),
    );
    let text = word(letters, random.below(60));
    if (random.below(2) === 0) text += secrets.join(word(letters, random.below(4)));
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      const length = 1 + random.below(12);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    const mask = new SecretMask(secrets);
    const redacted = redactPieces(new RedactStream(mask), pieces);
    const what = JSON.stringify({ secrets, pieces });
    expect(redacted, what).toBe(blotPlainly(secrets, text));
    expect(mask.blot(text), what).toBe(redacted);
    const places = placesOf(secrets, text);
    const isApart = places.every(({ end }, at) => end <= (places[at + 1]?.start ?? end));
    if (!isApart) continue;
    compared++;
    expect(redacted, what).toBe(replaceEach(secrets, text));
  }
  expect(compared).toBeGreaterThan(1000);
});

test("a secret is not cut where another could begin", () => {
  const stream = new RedactStream(new SecretMask(["ab cd ef", "d ef q"]));
  expect(redactPieces(stream, ["ab cd ef ", "x\n"])).toBe("*** x\n");
});

test("a secret that comes to be known is blotted out of what is held", () => {
  const stream = new RedactStream(new SecretMask(["first one"]));
  const before = stream.push("it is first one and first o");
  stream.use(new SecretMask(["first one", "first or", "t only"]));
  expect(before + redactPieces(stream, ["nly\n"])).toBe("it is *** and firs***\n");
});

test("long secrets that repeat themselves, and many, take no longer than the text does", () => {
  const megabytes = function* (letter: string) {
    for (let piece = 0; piece < 48; piece++) yield letter.repeat(65_536);
  };
  const alike = new RedactStream(new SecretMask(["a".repeat(65_000)]));
  expect(redactPieces(alike, megabytes("a"))).toBe("***");
  const almost = new RedactStream(new SecretMask([`${"a".repeat(65_000)}b`]));
  expect(redactPieces(almost, megabytes("a"))).toHaveLength(48 * 65_536);
  const lines = Array.from({ length: 10_000 }, (_none, at) => `aaaa${at}\n`);
  const many = new RedactStream(new SecretMask(lines));
  expect(redactPieces(many, lines)).toBe("***".repeat(lines.length));
  expect(redactPieces(many, megabytes("a"))).toHaveLength(48 * 65_536);
}, 60_000);

test("a character of two halves is not cut where a long word is", () => {
  for (const offset of ["", "x"]) {
    const word = offset + "😀".repeat(5000);
    const stream = new RedactStream();
    const out = [stream.push(word), stream.end()];
    expect(out.filter((piece) => /\p{Cs}/u.test(piece))).toEqual([]);
    expect(out.join("")).toBe(word);
  }
});
