// Has a diagram drawn by a process of its own, which may loop, fill its memory or crash without anybody else noticing.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { DiagramAnswer, DiagramQuestion } from "./draw-diagram.ts";

/** It cannot be drawn within what a diagram is given. */
export class DrawingGaveUp extends Error {
  override readonly name = "DrawingGaveUp";
}

/** What an honest diagram needs a hundredth of. */
const LIMIT_MS = 30_000;
/** Kept by the kernel: were we killed, a drawing that never ends would still end. */
const CPU_SECONDS_MAX = 40;
const HEAP_MB_MAX = 512;
/** Graphviz has a memory of its own, in pages of 64 KiB. */
const WASM_PAGES_MAX = 8192;
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
const SAID_LENGTH_MAX = 2000;

/** Rejects with the signal's reason, and with `DrawingGaveUp` when it takes too long or too much. */
export async function askDiagramProcess(
  question: DiagramQuestion,
  signal: AbortSignal,
  limitMs = LIMIT_MS,
): Promise<DiagramAnswer> {
  signal.throwIfAborted();
  const child = start();
  const over = AbortSignal.timeout(limitMs);
  const ending = AbortSignal.any([signal, over]);
  const end = () => endGroup(child);
  ending.addEventListener("abort", end, { once: true });
  try {
    child.stdin?.end(JSON.stringify(question));
    const { output, said, isWhole, code, signalName } = await outcomeOf(child);
    signal.throwIfAborted();
    if (over.aborted) throw new DrawingGaveUp(`it takes longer than ${limitMs / 1000} s`);
    if (!isWhole) throw new DrawingGaveUp("the drawing is too large");
    if (code === 0) return JSON.parse(output) as DiagramAnswer;
    throw explained(said, signalName);
  } finally {
    ending.removeEventListener("abort", end);
    endGroup(child);
  }
}

/** Of a group of its own, with an empty environment. The shell is gone as soon as it has set the limits. */
function start(): ChildProcess {
  const isSource = import.meta.url.endsWith(".ts");
  const url = new URL(`./diagram-process.${isSource ? "ts" : "js"}`, import.meta.url);
  const limits = `ulimit -c 0; ulimit -t ${CPU_SECONDS_MAX}; exec "$@"`;
  const flags = [
    `--max-old-space-size=${HEAP_MB_MAX}`,
    `--wasm-max-mem-pages=${WASM_PAGES_MAX}`,
    ...(isSource ? ["--import", import.meta.resolve("tsx")] : []),
  ];
  const command = [process.execPath, ...flags, fileURLToPath(url)];
  const child = spawn("/bin/sh", ["-c", limits, "sh", ...command], {
    ...{ detached: true, stdio: "pipe", env: {}, cwd: "/" },
  });
  child.stdin?.on("error", () => {}); // it has ended: how, is told by its end
  return child;
}

interface Outcome {
  readonly output: string;
  readonly said: string;
  readonly isWhole: boolean;
  readonly code: number | null;
  readonly signalName: NodeJS.Signals | null;
}

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let said = "";
  child.stdout?.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) endGroup(child);
    else pieces.push(piece);
  });
  child.stderr?.on("data", (piece: Buffer) => {
    said = (said + piece.toString("utf8")).slice(-SAID_LENGTH_MAX);
  });
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signalName) => {
      const output = Buffer.concat(pieces).toString("utf8");
      resolve({ output, said, isWhole: bytes <= ANSWER_BYTES_MAX, code, signalName });
    });
  });
}

/** V8 ends itself when its heap is full, the kernel ends what has used up its time. */
function explained(said: string, signalName: NodeJS.Signals | null): Error {
  if (signalName === "SIGXCPU" || signalName === "SIGKILL") {
    return new DrawingGaveUp("it takes too long or too much memory");
  }
  const isFull = /heap out of memory|out of memory|Maximum call stack|unreachable|memory access/i;
  if (isFull.test(said) || signalName !== null) {
    return new DrawingGaveUp("it takes too much memory");
  }
  return new Error(`the drawing process failed: ${said.trim().split("\n").at(-1) ?? ""}`);
}

function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it has just ended
  }
}
