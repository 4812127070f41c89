// Asks a thread what would stop everything else here if it took long, and ends it when it does.
import type { Worker } from "node:worker_threads";
import { startThread } from "../worker/start-thread.ts";
import type { CheckAnswers, CheckQuestion, CheckThreadMessage } from "./check-thread.ts";

/** What an honest pattern needs a thousandth of. */
const LIMIT_MS = 10_000;
const MEMORY_MB_MAX = 512;

/** The check cannot be answered: as good as failed. */
export class CheckGaveUp extends Error {
  override readonly name = "CheckGaveUp";
}

/** Rejects with the signal's reason, and with `CheckGaveUp` when it takes too long or too much memory. */
export async function askCheckThread<Question extends CheckQuestion>(
  question: Question,
  signal: AbortSignal,
): Promise<CheckAnswers[Question["kind"]]> {
  signal.throwIfAborted();
  const thread = startThread("check-thread", import.meta.url, {
    workerData: question,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
  });
  const over = new AbortController();
  try {
    const answer = await answerOf(thread, AbortSignal.any([signal, over.signal]), () =>
      setTimeout(() => {
        over.abort(new CheckGaveUp(`took too long: more than ${LIMIT_MS / 1000} s`));
      }, LIMIT_MS),
    );
    return answer as CheckAnswers[Question["kind"]];
  } finally {
    await thread.terminate();
  }
}

async function answerOf(
  thread: Worker,
  signal: AbortSignal,
  startTimer: () => NodeJS.Timeout,
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  try {
    return await new Promise((resolve, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop);
      thread.on("message", (message: CheckThreadMessage) => {
        if (message.kind === "answer") resolve(message.answer);
        else timer = startTimer();
      });
      thread.on("error", (error: NodeJS.ErrnoException) => {
        const isFull = error.code === "ERR_WORKER_OUT_OF_MEMORY";
        reject(isFull ? new CheckGaveUp("took too much memory") : error);
      });
      thread.on("exit", () => reject(new Error("a thread ended without an answer")));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
