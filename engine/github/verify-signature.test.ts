// Signatures: that of GitHub's own documentation fits, and nothing else does.
import { expect, test } from "vitest";
import { isSigned, signatureOf } from "./verify-signature.ts";

const SECRET = "It's a Secret to Everybody";
const BODY = Buffer.from("Hello, World!");
const SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

test("the documented example fits, by whichever of two secrets", () => {
  const signature = signatureOf(SIGNATURE) ?? Buffer.alloc(0);
  expect(isSigned(BODY, signature, [SECRET])).toBe(true);
  expect(isSigned(BODY, signature, ["another secret", SECRET])).toBe(true);
  expect(isSigned(BODY, signature, [SECRET, "another secret"])).toBe(true);
  expect(isSigned(BODY, signature, ["another secret"])).toBe(false);
  expect(isSigned(BODY, signature, [])).toBe(false);
  expect(isSigned(Buffer.from("Hello, World"), signature, [SECRET])).toBe(false);
  expect(isSigned(BODY, Buffer.alloc(0), [SECRET])).toBe(false);
});

test.each([
  ...[undefined, "", "sha256=", SIGNATURE.slice(0, -1), `${SIGNATURE}0`, SIGNATURE.slice(7)],
  ...[SIGNATURE.replace("sha256", "sha1"), SIGNATURE.replace(/.$/, "g"), [SIGNATURE], 3],
  `${SIGNATURE}, ${SIGNATURE}`,
])("%j is no signature", (header) => {
  expect(signatureOf(header)).toBeUndefined();
});
