// What is told of a job while it goes on: a bar on a terminal, plain lines elsewhere.
import type { Event, Job } from "@croft/contract";
import pc from "picocolors";
import { durationText } from "./duration-text.ts";
import { LiveLines, type Terminal } from "./live-lines.ts";
import { plainText } from "./terminal-text.ts";
import { clipText } from "./text-width.ts";

export interface JobView {
  tell(event: Event): void;
  /** Of the command itself, not of the job. */
  say(text: string): void;
  end(): void;
}

/** A bar where somebody looks, on the same stream that plain lines go to. */
export function jobView({ type }: Pick<Job, "type">): JobView {
  return process.stderr.isTTY ? new BarView(process.stderr, plainText(type)) : new LineView();
}

export class LineView implements JobView {
  tell({ type, data }: Event): void {
    const { attempt, fraction, note } = data;
    const words = [
      type.slice("job.".length),
      ...(typeof attempt === "number" ? [`attempt ${attempt}`] : []),
      ...(typeof fraction === "number" ? [`${Math.round(fraction * 100)} %`] : []),
      ...(typeof note === "string" ? [plainText(note)] : []),
    ];
    this.say(words.join(" "));
  }

  say(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  end(): void {}
}

const BAR_COLUMNS = 28;
const FRAME_MS = 100;
const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const ENDS: Readonly<Record<string, string>> = {
  ...{ done: pc.green("✓"), failed: pc.red("✗"), cancelled: pc.yellow("■") },
};

export class BarView implements JobView {
  readonly #lines: LiveLines;
  readonly #name: string;
  readonly #timer: NodeJS.Timeout;
  readonly #beganAt = Date.now();
  #status = "queued";
  #fraction: number | undefined;
  #note = "";
  #frame = 0;

  constructor(terminal: Terminal, name: string) {
    this.#lines = new LiveLines(terminal);
    this.#name = name;
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
    this.#draw();
  }

  tell({ type, data }: Event): void {
    const { fraction, note, attempt } = data;
    const kind = type.slice("job.".length);
    if (kind === "progress") {
      this.#fraction = typeof fraction === "number" ? fraction : undefined;
      this.#note = typeof note === "string" ? plainText(note) : "";
    } else {
      this.#status = kind === "started" ? "running" : kind;
      this.#fraction = kind === "done" ? 1 : undefined;
      this.#note = typeof attempt === "number" && attempt > 1 ? `attempt ${attempt}` : "";
    }
    this.#draw();
  }

  say(text: string): void {
    this.#lines.say(text);
  }

  /** The last line stays. */
  end(): void {
    clearInterval(this.#timer);
    this.#lines.end([this.#line()]);
  }

  #draw(): void {
    this.#frame++;
    this.#lines.draw([this.#line()]);
  }

  #line(): string {
    const sign = ENDS[this.#status] ?? pc.cyan(FRAMES[this.#frame % FRAMES.length] ?? "");
    const share = this.#fraction === undefined ? "" : `${Math.round(this.#fraction * 100)} %`;
    const took = pc.dim(durationText(Date.now() - this.#beganAt));
    const words = [
      `${sign} ${this.#name}`,
      barOf(this.#fraction ?? 0),
      ...[
        share.padStart(5),
        took,
        this.#status,
        ...(this.#note === "" ? [] : [pc.dim(this.#note)]),
      ],
    ];
    return clipText(words.join("  "), this.#lines.size.columns);
  }
}

function barOf(fraction: number): string {
  const full = Math.round(Math.min(Math.max(0, fraction), 1) * BAR_COLUMNS);
  return pc.green("━".repeat(full)) + pc.dim("─".repeat(BAR_COLUMNS - full));
}
