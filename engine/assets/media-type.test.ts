// What a file is, by its first bytes and by what its caller says: nobody makes a page of something else, or the other way round.
import { randomBytes } from "node:crypto";
import { deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { effectiveType, normaliseMediaType } from "./media-type.ts";
import { HEAD_BYTES, sniffType } from "./sniff-type.ts";

const PNG = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex"),
  Buffer.from([0, 0, 0, 0]),
  Buffer.from("IDAT"),
  deflateSync("x"),
]);
const ZIP = Buffer.concat([
  Buffer.from("504b0304140000000000", "hex"),
  Buffer.alloc(20),
  Buffer.from("a.bin"),
]);
const HTML = "<!DOCTYPE html><script>alert(1)</script>";
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const TEXT = "text/plain; charset=utf-8";

const typeOf = async (contents: string | Uint8Array, declared?: string) =>
  effectiveType(normaliseMediaType(declared), await sniffType(Buffer.from(contents)));

test.each<[string, string | Uint8Array, string]>([
  ["a page", HTML, "text/html"],
  ["a page after space, a mark and comments", "\ufeff\n<!-- a -->\n<!-- b --><HTML>", "text/html"],
  ["a page with bytes that no text has", "<html>\0\x01", "text/html"],
  ["XHTML", '<?xml version="1.0"?>\n<html xmlns="x">', "text/html"],
  ["a picture with scripts", SVG, "image/svg+xml"],
  ["the same under a prefix", '<?xml version="1.0"?><s:svg xmlns:s="x"/>', "image/svg+xml"],
  ["the same after its doctype", "<!DOCTYPE svg PUBLIC ''><svg/>", "image/svg+xml"],
  ["other XML", '<?xml version="1.0"?><feed/>', "application/xml"],
  ["text", "just text, ü", TEXT],
  ["text in another encoding", Buffer.from("\xfcber", "latin1"), "text/plain"],
  ["text that begins like a picture", "BM is not only a bitmap", TEXT],
  ["text that begins like a program", "MZ, said the dog", TEXT],
  ["a README that begins with a tag", '<div align="center">', TEXT],
  ["a picture", PNG, "image/png"],
  ["an archive", gzipSync("x"), "application/gzip"],
  ["a PDF of letters only", "%PDF-1.7\n1 0 obj", "application/pdf"],
  ["nothing known", Buffer.from([1, 2, 3, 250, 251]), "application/octet-stream"],
  ["nothing", "", "application/octet-stream"],
])("%s is told by its bytes", async (_what, contents, expected) => {
  expect(await typeOf(contents)).toBe(expected);
  expect(await typeOf(contents, "application/octet-stream")).toBe(expected);
});

test.each<[string, string | Uint8Array, string]>([
  ["text/markdown", "# Title", "text/markdown"],
  ["text/markdown", '<div align="center">', "text/markdown"],
  ["application/json", '{"a":1}', "application/json"],
  ["text/csv; charset=UTF-8; header=present", "a,b", "text/csv; charset=utf-8"],
  ["text/html", "<p>a part of a page", "text/html"],
  ["application/xhtml+xml", '<?xml version="1.0"?><html/>', "application/xhtml+xml"],
  ["application/atom+xml", '<?xml version="1.0"?><feed/>', "application/atom+xml"],
  ["application/vnd.my-own", Buffer.from([1, 2, 3, 250]), "application/vnd.my-own"],
  ["application/java-archive", ZIP, "application/java-archive"],
  ["application/x-tar", "", "application/x-tar"],
])("'%s' is believed", async (declared, contents, expected) => {
  expect(await typeOf(contents, declared)).toBe(expected);
});

test.each<[string, string | Uint8Array, string]>([
  ["image/png", HTML, "text/html"],
  ["text/plain", HTML, "text/html"],
  ["application/json", HTML, "text/html"],
  ["image/svg+xml", HTML, "text/html"],
  ["text/plain", SVG, "image/svg+xml"],
  ["text/html", SVG, "image/svg+xml"],
  ["text/html", PNG, "image/png"],
  ["text/html", "only text", TEXT],
  ["image/svg+xml", "only text", TEXT],
  ["text/html", "", "application/octet-stream"],
  ["text/html", Buffer.from([1, 2, 3, 250]), "application/octet-stream"],
  ["image/png", "only text", TEXT],
  ["image/jpeg", PNG, "image/png"],
  ["text/plain", PNG, "image/png"],
  ["application/pdf", ZIP, "application/zip"],
  ["application/pdf", "only text", TEXT],
  ["text/javascript", "alert(1)", TEXT],
  ["application/x-javascript", "alert(1)", TEXT],
  ["text/css", "* { color: red }", TEXT],
  ["multipart/x-mixed-replace", "--x", TEXT],
  ["message/rfc822", "From: a", TEXT],
  ["not a type", "only text", TEXT],
  ["text/html\r\nset-cookie: a", "only text", TEXT],
])("'%s' is not believed of other contents", async (declared, contents, expected) => {
  expect(await typeOf(contents, declared)).toBe(expected);
});

test("a long file is judged by its beginning, and any bytes at all are judged", async () => {
  const late = Buffer.from(`${" ".repeat(HEAD_BYTES)}${HTML}`).subarray(0, HEAD_BYTES);
  expect(await typeOf(late, "text/plain")).toBe("text/plain");
  expect(await typeOf(`${"<!-- ".repeat(3000)}`)).toBe(TEXT);
  for (let nth = 0; nth < 300; nth++) expect(await typeOf(randomBytes(nth * 8))).toMatch(/\//);
});
