// The directory by which a step and Croft talk: outputs and summary out, secrets in. No part of the checkout.
import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { JobUser, Workspace } from "@croft/git";
import { AssetError } from "../assets/asset-error.ts";
import { openInside, readOpened } from "../assets/open-inside.ts";
import { JobFailure, storable } from "../jobs/job-failure.ts";

const TEXT_BYTES_MAX = 1024 * 1024;
/** As JSON, in which it is a part of the job's result: quotes and line ends count twice there. */
const SUMMARY_LENGTH_MAX = 512 * 1024;
const CUT = "\n\n… (the rest was cut off: it is too long)\n";
const NAME = "croft";

export class StepExchange {
  /** What the script finds there, by its own paths. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #directory: string;
  readonly #user: JobUser | undefined;

  private constructor(workspace: Workspace, user: JobUser | undefined) {
    const { path, seenAs } = workspace.temporary;
    this.#directory = join(path, NAME);
    this.#user = user;
    this.environment = {
      CROFT_OUTPUT: join(seenAs, NAME, "output"),
      CROFT_SUMMARY: join(seenAs, NAME, "summary"),
      CROFT_SECRETS: join(seenAs, NAME, "secrets"),
    };
  }

  /** Before the first command, so nobody else is there yet. */
  static async open(
    workspace: Workspace,
    user: JobUser | undefined,
    secrets: ReadonlyMap<string, string>,
  ): Promise<StepExchange> {
    const exchange = new StepExchange(workspace, user);
    const directory = exchange.#directory;
    await exchange.#make(directory);
    await exchange.#make(join(directory, "secrets"));
    for (const name of ["output", "summary"])
      await exchange.#write(join(directory, name), "", 0o600);
    for (const [name, value] of secrets) {
      await exchange.#write(join(directory, "secrets", name), value, 0o400);
    }
    return exchange;
  }

  /** Whatever the script has made of the file. */
  async read(name: "output" | "summary"): Promise<string> {
    try {
      const { handle, size } = await openInside({
        ...{ directory: this.#directory, path: name, user: this.#user },
      });
      try {
        if (size > TEXT_BYTES_MAX) throw tooMuch(name);
        const read = await buffer(readOpened(handle));
        if (read.length > TEXT_BYTES_MAX) throw tooMuch(name);
        if (name === "summary" && read.includes(0))
          throw wrong("$CROFT_SUMMARY: the character 0 is in it");
        return read.toString("utf8");
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (!(error instanceof AssetError)) throw error;
      if (error.code === "not-found") return ""; // it took it away: it has nothing to say
      throw new JobFailure("command", "invalid-output", `${name}: ${error.message}`, {
        cause: error,
      });
    }
  }

  async readSummary(): Promise<string> {
    const summary = await this.read("summary");
    let length = summary.length;
    while (JSON.stringify(summary.slice(0, length)).length > SUMMARY_LENGTH_MAX)
      length = Math.floor(length / 2);
    // Not within a letter of two halves.
    return length === summary.length ? summary : storable(summary.slice(0, length)) + CUT;
  }

  async #make(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
    if (this.#user !== undefined) await chown(path, this.#user.uid, this.#user.gid);
  }

  async #write(path: string, text: string, mode: number): Promise<void> {
    await writeFile(path, text, { mode, flag: "wx" });
    if (this.#user !== undefined) await chown(path, this.#user.uid, this.#user.gid);
  }
}

function tooMuch(name: string): JobFailure {
  return wrong(`${name}: more than ${TEXT_BYTES_MAX} bytes`);
}

function wrong(message: string): JobFailure {
  return new JobFailure("command", "invalid-output", message);
}
