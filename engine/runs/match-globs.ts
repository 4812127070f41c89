// Which paths globs name. For a thread: a glob with many stars can take forever on a long name.
import picomatch from "picomatch";

export function matchGlobs({
  globs,
  paths,
}: {
  readonly globs: readonly string[];
  readonly paths: readonly string[];
}): boolean[] {
  const isNamed = picomatch([...globs], { dot: true });
  return paths.map((path) => isNamed(path));
}
