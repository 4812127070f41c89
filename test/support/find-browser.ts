// A Chromium for the browser tests: the system's, else the one npm brought.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import chromium from "@sparticuz/chromium";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

export interface Browser {
  readonly executablePath: string;
  readonly args: readonly string[];
}

const ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

/** Proven by starting it: a system's may be a stub, npm's may lack libraries of the system. */
export async function findBrowser(): Promise<Browser> {
  const directories = (process.env["PATH"] ?? "").split(delimiter);
  const candidates = directories.flatMap((directory) => NAMES.map((name) => join(directory, name)));
  const found = candidates.filter((path) => existsSync(path)).find(starts);
  const executablePath = found ?? (await chromium.executablePath());
  if (found === undefined && !starts(executablePath)) {
    throw new Error("no browser for the tests starts: apt-get install chromium");
  }
  return { executablePath, args: ARGS };
}

function starts(path: string): boolean {
  return spawnSync(path, [...ARGS, "--version"], { timeout: 30_000 }).status === 0;
}
