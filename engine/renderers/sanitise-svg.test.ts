// Nothing that could run, fetch or lead elsewhere is left of an SVG, however it is written.
import { expect, test } from "vitest";
import { SvgRefused, sanitiseSvg } from "./sanitise-svg.ts";

const svg = (inside: string, attributes = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`;

test.each([
  ["<script>alert(1)</script>"],
  ["<script href='x'/>"],
  ["<foreignObject><p xmlns='http://www.w3.org/1999/xhtml'>x</p></foreignObject>"],
  ["<image href='https://example.org/a.png'/>"],
  ["<use href='#a'/>"],
  ["<animate attributeName='href' to='javascript:alert(1)'/>"],
  ["<set attributeName='onload' to='alert(1)'/>"],
  ["<iframe xmlns='http://www.w3.org/1999/xhtml' src='javascript:alert(1)'/>"],
  ["<x:script xmlns:x='http://www.w3.org/2000/svg'>alert(1)</x:script>"],
  ["<style>@import url(https://example.org/a.css)</style>"],
  ["<style>a{background:url(https://example.org/a)}</style>"],
  ["<style>a{background:image-set('https://example.org/a' 1x)}</style>"],
  ["<style>a{b:\\75rl(x)}</style>"],
  ["<style>@font-face{font-family:x;src:local(a)}</style>"],
  ["<!-- <script/> -->"],
  ["<?xml-stylesheet href='x'?>"],
])("%s is gone", (inside) => {
  expect(sanitiseSvg(svg(inside))).toBe('<svg xmlns="http://www.w3.org/2000/svg"></svg>\n');
});

test.each([
  ["onload='alert(1)'"],
  ["onClick='alert(1)'"],
  ["href='#a'"],
  ["xlink:href='javascript:alert(1)'"],
  ["style='background:url(https://example.org)'"],
  ["style='x:expression(alert(1))'"],
  ["fill='url(https://example.org/#a)'"],
  ["fill='u\\72l(x)'"],
  ["data-x='y'"],
  ["xml:base='https://example.org/'"],
])("the attribute %s is gone", (attribute) => {
  expect(sanitiseSvg(svg(`<rect ${attribute}/>`))).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg"><rect></rect></svg>\n',
  );
});

test("what a diagram is made of stays, and links lose only where they lead", () => {
  const inside =
    "<style>@import url('https://example.org/a;b.css'); text{fill:color-mix(in srgb, var(--a) 3%, red)}</style>" +
    "<defs><marker id='m'/></defs><a xlink:href='https://example.org'><path d='M0 0' marker-end='url(#m)' style='fill:none'/></a>" +
    "<text>1 &lt; 2 &amp; &quot;3&quot;</text>";
  expect(sanitiseSvg(svg(inside, "viewBox='0 0 1 1' onload='x'"))).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">' +
      "<style> text{fill:color-mix(in srgb, var(--a) 3%, red)}</style>" +
      '<defs><marker id="m"></marker></defs><path d="M0 0" marker-end="url(#m)" style="fill:none"></path>' +
      "<text>1 &lt; 2 &amp; &quot;3&quot;</text></svg>\n",
  );
});

test.each([
  ["<svg>"],
  ["<html/>"],
  ["<svg/>"],
  [""],
  [
    '<!DOCTYPE svg [<!ENTITY a "x">]><svg xmlns="http://www.w3.org/2000/svg"><text>&a;</text></svg>',
  ],
])("%s is refused", (text) => {
  expect(() => sanitiseSvg(text)).toThrow(SvgRefused);
});

test("what is nested deeper than any drawing is refused", () => {
  const deep = svg("<g>".repeat(200) + "</g>".repeat(200));
  expect(() => sanitiseSvg(deep)).toThrow(SvgRefused);
});
