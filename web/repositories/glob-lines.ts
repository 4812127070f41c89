// Globs as people write them: one a line.

export function globsOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

export function linesOf(globs: readonly string[]): string {
  return globs.join("\n");
}
