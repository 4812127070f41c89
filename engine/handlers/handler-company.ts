// What a process of handlers has started: whether something of a job goes on after it, and the end of all of it.
import { setTimeout as delay } from "node:timers/promises";
import {
  familyOf,
  findMarked,
  findProcessesIn,
  killFamily,
  signalProcess,
  traceOfChildren,
} from "@croft/git";

const LEAVE_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 10;

/** Everybody's processes are looked at only if this one has started any: among a thousand that takes 40 ms. */
export class HandlerCompany {
  readonly #pid: number;
  /** Of this process alone; all that it starts has its mark. */
  readonly #directory: string;
  /** What the project has started when it was loaded: it belongs to the process, and to no job. */
  #household: ReadonlySet<number> = new Set();
  #trace: number | undefined;
  #isKilled = false;
  #wasAlone = false;

  constructor(pid: number, directory: string) {
    this.#pid = pid;
    this.#directory = directory;
  }

  /** What there is by now, stays. */
  async settle(): Promise<void> {
    this.#trace = traceOfChildren(this.#pid);
    this.#household = new Set(this.#trace === 0 ? [] : await this.#look());
  }

  /** Whether something that a job has started goes on; also where that cannot be told. */
  async isThere(): Promise<boolean> {
    try {
      return await this.#isThere();
    } catch {
      return true; // no descriptor is free: no reason to fail a job that is done
    }
  }

  async #isThere(): Promise<boolean> {
    const trace = traceOfChildren(this.#pid);
    if (trace !== undefined && trace === this.#trace) return false;
    const found = await this.#look();
    this.#trace = trace;
    return found.some((pid) => !this.#household.has(pid));
  }

  /** Once, while it still lives: when it has gone, nobody knows any more whose its children were. */
  kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    signalProcess(this.#pid, "SIGSTOP"); // what is true from here on stays so
    this.#wasAlone = traceOfChildren(this.#pid) === 0;
    try {
      killFamily(this.#pid);
    } catch {
      this.#wasAlone = false; // no descriptor is free to see them all: they are looked for after its end
    }
  }

  /** Of those that it has left behind: to be called when it has gone itself. */
  async end(): Promise<void> {
    if (this.#wasAlone) return;
    const giveUpAt = Date.now() + LEAVE_WITHIN_MS;
    const look = () => findProcessesIn([this.#directory], ownUser());
    for (let found = await look(); found.length > 0; found = await look()) {
      for (const pid of found) signalProcess(pid, "SIGKILL");
      if (Date.now() > giveUpAt) return;
      await delay(LOOK_EVERY_MS);
    }
  }

  /** Also where it could not be marked, those whose environment or parents tell it. */
  async #look(): Promise<number[]> {
    const found = [...familyOf(this.#pid), ...(await findMarked(this.#directory, ownUser()))];
    return found.filter((pid) => pid !== this.#pid);
  }
}

function ownUser(): number {
  return process.getuid?.() ?? 0;
}
