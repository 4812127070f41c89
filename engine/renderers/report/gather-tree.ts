// What the files of a commit say: how many and how large they are, in which languages and directories.
import type { SizedEntry } from "@croft/git";
import { languageOf } from "./languages.ts";
import { compareText } from "./top-counts.ts";

export interface Share {
  readonly name: string;
  readonly bytes: number;
  readonly files: number;
}

export interface DirectoryShare extends Share {
  readonly children: readonly Share[];
}

export interface TreeFacts {
  readonly files: number;
  readonly bytes: number;
  /** Largest first. */
  readonly languages: readonly Share[];
  /** At the top; files there are one of them. */
  readonly directories: readonly DirectoryShare[];
  /** Of the names that were asked for, those that are files now. */
  readonly existing: ReadonlySet<string>;
}

interface Sum {
  bytes: number;
  files: number;
}

interface DirectorySum extends Sum {
  readonly children: Map<string, Sum>;
}

const SUBMODULE = "160000";
/** Further ones are put together: a hostile tree may have a million. */
const DIRECTORIES_MAX = 1000;
const CHILDREN_MAX = 200;
/** Hardly any file system has longer ones. */
const NAME_BYTES_MAX = 255;
const SLASH = 0x2f;
const OTHERS = "other directories";
export const FILES_AT_TOP = "files at the top";

export async function gatherTree(
  entries: AsyncIterable<readonly SizedEntry[]>,
  names: ReadonlySet<string>,
  onFiles: (count: number) => void,
): Promise<TreeFacts> {
  const languages = new Map<string, Sum>();
  const directories = new Map<string, DirectorySum>();
  const existing = new Set<string>();
  const all: Sum = { files: 0, bytes: 0 };
  for await (const lot of entries) {
    for (const { path, mode, size } of lot) {
      if (mode === SUBMODULE) continue;
      const name = path.toString("utf8");
      add(all, size);
      if (names.has(name)) existing.add(name);
      const language = languageOf(name);
      if (language !== undefined) add(sumOf(languages, language, Number.POSITIVE_INFINITY), size);
      addToDirectory(directories, path, size);
    }
    onFiles(all.files);
  }
  return {
    ...all,
    languages: sharesOf(languages),
    directories: [...directories].map(directoryOf).sort(bySize),
    existing,
  };
}

function addToDirectory(directories: Map<string, DirectorySum>, path: Buffer, size: number): void {
  const first = path.indexOf(SLASH);
  const wanted = first < 0 ? FILES_AT_TOP : `${nameIn(path, 0, first)}/`;
  const name = directories.has(wanted) || directories.size < DIRECTORIES_MAX ? wanted : OTHERS;
  const directory = directories.get(name) ?? { bytes: 0, files: 0, children: new Map() };
  directories.set(name, directory);
  add(directory, size);
  if (first < 0 || name === OTHERS) return;
  const second = path.indexOf(SLASH, first + 1);
  const child = second < 0 ? FILES_AT_TOP : nameIn(path, first + 1, second);
  add(sumOf(directory.children, child, CHILDREN_MAX), size);
}

/** A text of its own: a part of a longer one would keep all of that in memory. */
function nameIn(path: Buffer, from: number, to: number): string {
  return path.toString("utf8", from, Math.min(to, from + NAME_BYTES_MAX));
}

function sumOf(sums: Map<string, Sum>, wanted: string, namesMax: number): Sum {
  const name = sums.has(wanted) || sums.size < namesMax ? wanted : OTHERS;
  const sum = sums.get(name) ?? { bytes: 0, files: 0 };
  sums.set(name, sum);
  return sum;
}

function add(sum: Sum, size: number): void {
  sum.bytes += size;
  sum.files++;
}

function directoryOf([name, { bytes, files, children }]: [string, DirectorySum]): DirectoryShare {
  return { name, bytes, files, children: sharesOf(children) };
}

function sharesOf(sums: ReadonlyMap<string, Sum>): Share[] {
  return [...sums].map(([name, sum]) => ({ name, ...sum })).sort(bySize);
}

function bySize(left: Share, right: Share): number {
  return right.bytes - left.bytes || compareText(left.name, right.name);
}
