// Whether a piece of CSS only says how things look: no address, no import, nothing that a browser would fetch or run.

/** All others are refused, known and yet to come: some take an address as a plain string. */
const FUNCTIONS = new Set([
  ...["var", "calc", "min", "max", "clamp", "color-mix", "rgb", "rgba", "hsl", "hsla", "oklch"],
  ...["oklab", "lab", "lch", "translate", "translatex", "translatey", "scale", "rotate", "matrix"],
  ...["skewx", "skewy", "light-dark", "cubic-bezier", "not", "is", "where", "nth-child"],
]);
const LOCAL_REFERENCE = /\burl\(\s*#[\w.-]+\s*\)/gi;
const COMMENT = /\/\*[\s\S]*?\*\//g;
const IMPORT = /@import\b(?:'[^']*'|"[^"]*"|[^;'"])*;/gi;

/** In an attribute: a reference may lead to another part of the same drawing. */
export function harmlessValue(value: string): boolean {
  const rest = value.replaceAll(LOCAL_REFERENCE, "");
  return !/[\\@]|\burl\b|javascript:|data:/i.test(rest);
}

export function harmlessStyle(declarations: string): boolean {
  const rest = declarations.replaceAll(LOCAL_REFERENCE, "");
  return !rest.includes("{") && !rest.includes("}") && isHarmless(rest);
}

/** Without the fonts that it would fetch; undefined when there is more in it than looks. */
export function harmlessStyleSheet(text: string): string | undefined {
  const plain = text.replaceAll(COMMENT, "").replaceAll(IMPORT, "");
  const isPlain = isHarmless(plain.replaceAll(LOCAL_REFERENCE, "").replaceAll(/@media\b/gi, ""));
  return isPlain ? plain : undefined;
}

/** An escape could spell any of what is looked for, and a comment could hide it. */
function isHarmless(css: string): boolean {
  if (/[\\@<]|\/\*|javascript:|expression|behaviou?r|binding|\burl\b/i.test(css)) return false;
  return [...css.matchAll(/([\w-]+)\s*\(/g)].every(
    ([, name = ""]) => FUNCTIONS.has(name.toLowerCase()) || /^(?:and|or|not)$/i.test(name),
  );
}
