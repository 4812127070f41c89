// Which language a file is in, by its name alone.

/** Endings of one language after its name. Formats of data and pictures are no languages here. */
const ENDINGS: Readonly<Record<string, string>> = {
  TypeScript: "ts tsx mts cts",
  JavaScript: "js jsx mjs cjs",
  Python: "py pyi",
  Ruby: "rb rake gemspec",
  Go: "go",
  Rust: "rs",
  Java: "java",
  Kotlin: "kt kts",
  Scala: "scala sc",
  Swift: "swift",
  "Objective-C": "m mm",
  C: "c h",
  "C++": "cc cpp cxx hh hpp hxx",
  "C#": "cs",
  "F#": "fs fsx",
  PHP: "php",
  Perl: "pl pm",
  Lua: "lua",
  R: "r",
  Julia: "jl",
  Haskell: "hs",
  OCaml: "ml mli",
  Elixir: "ex exs",
  Erlang: "erl hrl",
  Clojure: "clj cljs cljc",
  Dart: "dart",
  Zig: "zig",
  Nim: "nim",
  Assembly: "s asm",
  Shell: "sh bash zsh fish",
  PowerShell: "ps1 psm1",
  SQL: "sql",
  HTML: "html htm",
  CSS: "css",
  SCSS: "scss sass",
  Less: "less",
  Vue: "vue",
  Svelte: "svelte",
  Astro: "astro",
  Markdown: "md mdx markdown",
  reStructuredText: "rst",
  AsciiDoc: "adoc asciidoc",
  TeX: "tex",
  YAML: "yml yaml",
  JSON: "json jsonc json5",
  TOML: "toml",
  XML: "xml xsd xsl",
  GraphQL: "graphql gql",
  "Protocol Buffers": "proto",
  Terraform: "tf",
  Nix: "nix",
  CMake: "cmake",
  Mermaid: "mmd",
  Graphviz: "dot gv",
};
const NAMES: Readonly<Record<string, string>> = {
  dockerfile: "Dockerfile",
  makefile: "Makefile",
  rakefile: "Ruby",
  gemfile: "Ruby",
  "cmakelists.txt": "CMake",
};
/** Written by programs: one of them can be larger than all that people wrote. */
const GENERATED =
  /^(?:package-lock|npm-shrinkwrap|composer\.lock)\.?(?:json)?$|\.min\.(?:js|css)$|\.map$/;

const BY_ENDING = new Map(
  Object.entries(ENDINGS).flatMap(([language, endings]) =>
    endings.split(" ").map((ending) => [ending, language] as const),
  ),
);
const BY_NAME = new Map(Object.entries(NAMES));

/** Undefined for what nobody writes by hand, and for what is not known. */
export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (GENERATED.test(name)) return undefined;
  const dot = name.lastIndexOf(".");
  return BY_NAME.get(name) ?? (dot < 0 ? undefined : BY_ENDING.get(name.slice(dot + 1)));
}
