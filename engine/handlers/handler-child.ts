// The program in which handlers of a project run: one job after the other, in a process that may fall without harm.
import { AsyncLocalStorage } from "node:async_hooks";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { EngineError } from "../engine-error.ts";
import { failedReading, type InputReading, readInput } from "../jobs/input-schema.ts";
import { describeError } from "./describe-error.ts";
import { createContext } from "./handler-context.ts";
import type { Answer, FromHandler, ToHandler } from "./handler-messages.ts";
import { reportProgress } from "./handler-progress.ts";
import { MessageLines } from "./message-lines.ts";
import { ProcessMarks } from "./process-marks.ts";
import { type Handler, type Handlers, requireHandlers } from "./project-handlers.ts";
import { watchOver } from "./watch-over.ts";

/** A job, or the check of an input. */
interface Running {
  readonly run: number;
  readonly controller: AbortController;
  readonly calls: Map<number, (answer: Answer) => void>;
  /** What became of it has been told. */
  isOver: boolean;
}

const [, , bundle = "", parent = "", memoryMb = ""] = process.argv;
/** By descriptor, not by Node's own messages: whatever a project's code writes there can be refused by its length. */
const CHANNEL = 3;
const RESULT_LENGTH_MAX = 2 * 1024 * 1024;

const project = process.cwd();
const culprits = new AsyncLocalStorage<Running>();
let running: Running | undefined;
let handlers: Handlers = new Map();
let marks: ProcessMarks | undefined;
let lastCall = 0;
let isWorn = false;

watchOver({ parent: Number(parent), memoryMb: Number(memoryMb) });
const lines = new MessageLines(new Socket({ fd: CHANNEL, readable: true, writable: true }), {
  lengthMax: Number.POSITIVE_INFINITY,
  onMessage: (message) => hear(message as ToHandler),
  onJunk: leave,
});
void lines.ended.then(leave); // its worker has gone
for (const event of ["uncaughtException", "unhandledRejection"] as const) process.on(event, fall);
await begin();

async function begin(): Promise<void> {
  try {
    const module: { default?: unknown } = await import(pathToFileURL(bundle).href);
    handlers = requireHandlers((module.default as { handlers?: unknown } | undefined)?.handlers);
    await nextTurn(); // what it was read with is closed
    marks = new ProcessMarks([1, 2, CHANNEL]);
    await tell({ kind: "ready" });
  } catch (error) {
    await refuse(error);
  }
}

/** The project cannot be loaded. */
async function refuse(error: unknown): Promise<void> {
  await tell({ kind: "unfit", message: describeError(error, project).message });
  leave();
}

async function tell(message: FromHandler): Promise<void> {
  await lines.send(message);
}

/** Without a word to anybody: what a project does at its exit may take for ever. */
function leave(): void {
  process.kill(process.pid, "SIGKILL");
}

function hear(message: ToHandler): undefined {
  if (message.kind === "run") void perform(message.run, (own) => resultOf(own, message));
  else if (message.kind === "check") void perform(message.run, () => faultsOf(message));
  else if (message.run !== running?.run)
    return; // of one that has ended
  else if (message.kind === "stop") running.controller.abort(new Error(message.message));
  else {
    running.calls.get(message.call)?.(message.answer);
    running.calls.delete(message.call);
  }
}

/** What comes of it is told as a text of JSON. */
async function perform(run: number, work: (own: Running) => Promise<string>): Promise<void> {
  const own: Running = { run, controller: new AbortController(), calls: new Map(), isOver: false };
  running = own;
  void tell({ kind: "begun", run });
  try {
    const text = await culprits.run(own, () => work(own));
    await nextTurn(); // a rejection that nobody has caught is told only now
    await flushed();
    isWorn ||= (await marks?.haveChanged()) ?? true;
    if (own.isOver) return;
    running = undefined;
    await lines.sendText(`{"kind":"done","run":${run},"isWorn":${isWorn},"result":${text}}`);
  } catch (error) {
    fail(own, error);
  }
}

/** Once; its worker ends this process then. */
function fail(job: Running, error: unknown): void {
  if (job.isOver) return;
  job.isOver = true;
  const said = describeError(error, project);
  void flushed().then(() => tell({ kind: "failed", run: job.run, error: said }));
}

/** What a schema throws it would throw again, and it does no harm to the next: as good as an answer. */
async function faultsOf({ type, input }: Extract<ToHandler, { kind: "check" }>): Promise<string> {
  const { input: schema } = handlerOf(type);
  let read: InputReading;
  try {
    read = await readInput(schema, input);
  } catch (error) {
    if (error instanceof EngineError) throw error; // it takes too long
    read = failedReading(describeError(error, project).message);
  }
  return JSON.stringify(read.fault === undefined ? null : read);
}

async function resultOf(
  own: Running,
  { job, directory }: Extract<ToHandler, { kind: "run" }>,
): Promise<string> {
  const handler = handlerOf(job.type);
  const read = await readInput(handler.input, job.input);
  if (read.fault !== undefined) throw invalid("invalid-input", read.fault);
  const { signal } = own.controller;
  const progress = reportProgress((said) => tell({ kind: "progress", run: own.run, ...said }));
  const ask = (name: string, request: unknown) => askWorker(own, name, request);
  const options = { job, input: read.value, directory, signal, ask, progress: progress.report };
  try {
    return textOf(await handler.run(createContext(options)));
  } finally {
    progress.end();
  }
}

function handlerOf(type: string): Handler {
  const handler = handlers.get(type);
  if (handler === undefined) throw new Error(`there is no handler '${type}'`);
  process.chdir(project); // the job before may have left it
  return handler;
}

function textOf(result: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(result ?? null);
  } catch (error) {
    throw invalid(
      "invalid-result",
      `the result must be JSON: ${describeError(error, project).message}`,
    );
  }
  if (text === undefined) throw invalid("invalid-result", "the result must be JSON");
  if (text.length <= RESULT_LENGTH_MAX) return text;
  throw invalid("invalid-result", "the result is too long: larger things belong into assets");
}

async function askWorker(own: Running, name: string, request: unknown): Promise<unknown> {
  if (running !== own) throw new Error("the job has ended");
  const call = ++lastCall;
  const answered = new Promise<Answer>((resolve) => own.calls.set(call, resolve));
  await tell({ kind: "ask", run: own.run, call, question: { name, request } });
  const answer = await answered;
  if ("value" in answer) return answer.value;
  throw Object.assign(new Error(answer.error.message), answer.error);
}

/** An error that nobody catches is the job's that began it; whose it was cannot always be told. */
function fall(error: unknown): void {
  const culprit = culprits.getStore() ?? running;
  if (marks === undefined) void refuse(error);
  else if (running === undefined) leave();
  else if (culprit === running) fail(running, error);
  else {
    isWorn = true;
    process.stderr.write(`of an earlier job: ${describeError(error, project).message}\n`);
  }
}

/** What was printed is part of the job, and goes before the word that ends it. */
async function flushed(): Promise<void> {
  const full = [process.stdout, process.stderr].filter(({ writableLength }) => writableLength > 0);
  await Promise.all(
    full.map((stream) => new Promise<void>((resolve) => stream.write("", () => resolve()))),
  );
}

function invalid(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, class: "invalid", stack: undefined });
}
