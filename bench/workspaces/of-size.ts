// Finds what belongs to repositories of one size.

export function ofSize<T extends { readonly files: number }>(files: number, all: readonly T[]): T {
  const found = all.find((one) => one.files === files);
  if (found === undefined) throw new Error(`nothing of ${files} files`);
  return found;
}
