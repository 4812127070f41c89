// What a run is on: the repository that is named, or the checkout that the command is called in.
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { EngineError } from "@croft/engine";

export interface PlaceWish {
  readonly repo?: string | undefined;
  readonly dirty: boolean;
  /** As it was typed. */
  readonly file: string;
  /** Whether the pipeline says itself what it is for. */
  readonly namesRepository: boolean;
  /** The server is another machine's, or may be. */
  readonly isElsewhere: boolean;
  readonly directory: string;
}

/** As a request has it. */
export interface RunPlace {
  readonly file: string;
  readonly repository?: string;
  readonly checkout?: {
    readonly path: string;
    readonly uncommitted: boolean;
    readonly excludes_file?: string;
  };
}

export function placeOf(wish: PlaceWish): RunPlace {
  const { repo, dirty, file, namesRepository, isElsewhere, directory } = wish;
  if (repo === "") throw invalid("--repo is empty: name a URL or a path");
  const path = repo === undefined ? undefined : pathIn(repo, directory);
  if (path === undefined && (repo !== undefined || namesRepository || isElsewhere)) {
    if (dirty) throw invalid("--dirty is for a checkout of this machine, not for a remote");
    return { file, ...(repo === undefined ? {} : { repository: repo }) };
  }
  if (isElsewhere) {
    throw invalid(`'${repo}' is a path, and the server of CROFT_URL is elsewhere: name a URL`);
  }
  const top = topOf(path ?? directory);
  if (top === undefined) {
    throw invalid(
      path === undefined
        ? "which repository? Name one in the pipeline ('repository:') or with --repo, or be in a checkout"
        : `'${repo}' is not in a git repository`,
    );
  }
  const inside = relative(top, realpathSync(resolve(directory, file)));
  const isInside = inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  return {
    checkout: { path: top, uncommitted: dirty },
    file: isInside ? inside.split(sep).join("/") : file, // what it uses is found from there
  };
}

/** A remote has a host before its colon; what is on the disk is meant, if there is such a directory. */
function pathIn(repo: string, directory: string): string | undefined {
  const path = resolve(directory, repo);
  if (/^(?:\/|\.{1,2}(?:\/|$))/.test(repo)) return path;
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isDirectory && !repo.includes("://") ? path : undefined;
}

/** Of the checkout, or a bare repository's own directory. */
function topOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  for (let directory = realpathSync(path); ; directory = dirname(directory)) {
    const isBare = ["HEAD", "objects", "refs"].every((name) => existsSync(join(directory, name)));
    if (isBare || existsSync(join(directory, ".git"))) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}

function invalid(message: string): EngineError {
  return new EngineError("invalid-input", message);
}
