// What is told of a run while it goes on: a live tree on a terminal, plain lines elsewhere, or nothing.
import type { Event, RunDetail } from "@croft/contract";
import pc from "picocolors";
import { durationText } from "./duration-text.ts";
import { LiveLines, type Terminal } from "./live-lines.ts";
import { stepTree } from "./step-tree.ts";
import { plainText } from "./terminal-text.ts";

export interface RunView {
  tell(event: Event): void;
  /** Of the command itself, not of the run. */
  say(text: string): void;
  /** Undefined when the end is not known. */
  end(run: RunDetail | undefined): void;
}

const SIGNS: Readonly<Record<string, string>> = {
  ...{ running: pc.blue("▸"), waiting: pc.yellow("?"), done: pc.green("✓"), failed: pc.red("✗") },
  ...{ skipped: pc.dim("–"), cancelled: pc.yellow("■") },
};

export class QuietView implements RunView {
  tell(_event: Event): void {}

  say(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  end(): void {}
}

/** One line a change, with how long it took. */
export class PlainView extends QuietView {
  readonly #begunAt = new Map<string, number>();

  override tell({ type, subject, data, at }: Event): void {
    if (type !== "run.step") {
      this.say(pc.dim(type.slice("run.".length)));
      return;
    }
    const told = data as Readonly<Record<string, string | undefined>>;
    const { step, item, status, reason = told["message"] } = told;
    const name = plainText([step, item].filter((part) => part !== undefined).join("/"));
    const time = Date.parse(at);
    const begunAt = this.#begunAt.get(name);
    if (status === "running") this.#begunAt.set(name, time);
    const isTimed = begunAt !== undefined && status !== "running";
    const took = isTimed ? pc.dim(` ${durationText(time - begunAt)}`) : "";
    const way = status === "waiting" ? [`croft approve ${subject} ${name}`] : [];
    const notes = [...way, ...(reason === undefined ? [] : [plainText(reason)])];
    const why = notes.length === 0 ? "" : `: ${notes.join("  ")}`;
    this.say(`${SIGNS[status ?? ""] ?? " "} ${name} ${status}${took}${why}`);
  }
}

const FRAME_MS = 100;
const REFRESH_MS = 300;
/** A step that waits for a worker begins without an event of its run. */
const QUEUED_REFRESH_MS = 1000;

export class LiveView implements RunView {
  readonly #lines: LiveLines;
  readonly #ask: () => Promise<RunDetail>;
  readonly #timer: NodeJS.Timeout;
  #run: RunDetail;
  #frame = 0;
  /** Of our clock against the server's. */
  #aheadMs: number | undefined;
  #isStale = false;
  #isAsking = false;
  #askedAt = Date.now();

  constructor(terminal: Terminal, run: RunDetail, ask: () => Promise<RunDetail>) {
    this.#lines = new LiveLines(terminal);
    this.#run = run;
    this.#ask = ask;
    this.#timer = setInterval(() => this.#next(), FRAME_MS);
    this.#draw();
  }

  tell({ at }: Event): void {
    const ahead = Date.now() - Date.parse(at);
    this.#aheadMs = Math.min(this.#aheadMs ?? ahead, ahead);
    this.#isStale = true;
  }

  say(text: string): void {
    this.#lines.say(text);
  }

  end(run: RunDetail | undefined): void {
    clearInterval(this.#timer);
    if (run !== undefined) this.#run = run;
    this.#lines.end(this.#tree(undefined));
  }

  #next(): void {
    this.#frame++;
    this.#draw();
    const sinceMs = Date.now() - this.#askedAt;
    const isQueued = this.#run.steps.some(({ status }) => status === "queued");
    const isDue = sinceMs > (this.#isStale ? REFRESH_MS : QUEUED_REFRESH_MS);
    if (isDue && (this.#isStale || isQueued) && !this.#isAsking) void this.#refresh();
  }

  async #refresh(): Promise<void> {
    this.#isAsking = true;
    this.#isStale = false;
    try {
      this.#run = await this.#ask();
    } catch {
      this.#isStale = true; // whoever follows the events says what is wrong, or that it is over
    } finally {
      this.#isAsking = false;
      this.#askedAt = Date.now();
    }
  }

  #draw(): void {
    this.#lines.draw(this.#tree(this.#lines.size.lines));
  }

  #tree(lines: number | undefined): string[] {
    const moment = { nowMs: Date.now() - (this.#aheadMs ?? 0), frame: this.#frame };
    return stepTree(this.#run, { columns: this.#lines.size.columns, lines }, moment);
  }
}
