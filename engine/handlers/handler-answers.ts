// What only the worker can do for a handler: it is asked for by name, and done as the attempt's own.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { asAssetFailure } from "../assets/asset-failure.ts";
import { materialise } from "../assets/materialise.ts";
import { readAsset } from "../assets/read-assets.ts";
import { asFailure } from "../command/git-failure.ts";
import { EngineError } from "../engine-error.ts";
import { describeFailure, JobFailure } from "../jobs/job-failure.ts";
import { type Attempt, withSignal } from "../jobs/job-type.ts";
import { newId } from "../new-id.ts";
import { JobEnqueuer } from "./enqueue-job.ts";
import { GithubResults } from "./github-results.ts";
import type { Answer, Question } from "./handler-messages.ts";
import type { HandlerParts } from "./handler-parts.ts";
import { HandlerRepositories } from "./handler-repositories.ts";
import { HandlerWorkspaces } from "./handler-workspaces.ts";

export interface AnswerOptions {
  readonly parts: HandlerParts;
  readonly attempt: Attempt;
  /** Of the attempt. */
  readonly directory: string;
  readonly graceMs: () => number;
}

const PutWish = z.strictObject({
  name: z.string(),
  file: z.string(),
  isDraft: z.boolean().optional(),
  workspace: z.int().optional(),
  mediaType: z.string().max(200).optional(),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/, "must be a full commit id")
    .optional(),
});

const RoomWish = z.strictObject({ bytes: z.int().min(0) });

const GetWish = z.strictObject({ id: z.uuid() });

type Doing = (request: unknown) => Promise<unknown>;

export class HandlerAnswers {
  readonly #options: AnswerOptions;
  readonly #workspaces: HandlerWorkspaces;
  readonly #doings: ReadonlyMap<string, Doing>;
  readonly #over = new AbortController();
  readonly #asked = new Set<Promise<Answer>>();

  constructor(options: AnswerOptions) {
    const { parts, directory, graceMs } = options;
    const signal = AbortSignal.any([options.attempt.signal, this.#over.signal]);
    const attempt = withSignal(options.attempt, signal);
    this.#options = { ...options, attempt };
    const workspaces = new HandlerWorkspaces(parts, attempt, graceMs);
    const repositories = new HandlerRepositories(parts, attempt, directory);
    const jobs = new JobEnqueuer(parts, attempt);
    const github = new GithubResults(parts, attempt);
    this.#workspaces = workspaces;
    this.#doings = new Map<string, Doing>([
      ["workspace", (request) => workspaces.make(request)],
      ["command", (request) => workspaces.run(request)],
      ["room", (request) => parts.assets.reserve.require(directory, RoomWish.parse(request).bytes)],
      ["put-asset", (request) => this.#put(request)],
      ["get-asset", (request) => this.#get(request)],
      ["repository", (request) => repositories.open(request)],
      ["list-files", (request) => repositories.list(request)],
      ["read-file", (request) => repositories.read(request)],
      ["enqueue", (request) => jobs.enqueue(request)],
      ["github-comment", (request) => github.comment(request)],
      ["github-pull-request", (request) => github.pullRequest(request)],
      ["github-check", (request) => github.check(request)],
    ]);
  }

  /** Never rejects: what goes wrong is the handler's to catch. */
  answer(question: Question): Promise<Answer> {
    const answered = this.#answer(question).finally(() => this.#asked.delete(answered));
    this.#asked.add(answered);
    return answered;
  }

  async #answer({ name, request }: Question): Promise<Answer> {
    try {
      this.#options.attempt.signal.throwIfAborted();
      const doing = this.#doings.get(name);
      if (doing === undefined) throw new Error(`there is no '${name.slice(0, 80)}'`);
      return { value: (await doing(request)) ?? null };
    } catch (error) {
      return { error: describe(error) };
    }
  }

  /**
   * What it has made for the attempt goes with it, also what a handler that fell did not wait for: a workspace that comes
   * after this would be nobody's.
   */
  async end(): Promise<void> {
    this.#over.abort(new Error("the handler has ended"));
    await Promise.all(this.#asked);
    await this.#workspaces.remove();
  }

  async #put(request: unknown): Promise<unknown> {
    const { attempt, directory } = this.#options;
    const { name, file: path, isDraft, workspace, mediaType, commit } = PutWish.parse(request);
    const file =
      workspace === undefined ? { directory, path } : this.#workspaces.fileIn(workspace, path);
    try {
      return await attempt.assets.putFile(name, file, { mediaType, commit });
    } finally {
      if (isDraft === true && workspace === undefined && !path.includes("/")) {
        await rm(join(directory, path), { force: true });
      }
    }
  }

  async #get(request: unknown): Promise<unknown> {
    const { parts, attempt, directory } = this.#options;
    const { id } = GetWish.parse(request);
    const asset = await readAsset(parts.database, { owner: attempt.owner }, id);
    const path = newId();
    await materialise(parts.assets, asset, { directory, path, mode: 0o600 });
    const { name, media_type: mediaType, bytes } = asset;
    return { path, name, mediaType, bytes };
  }
}

const CLASSES = ["transient", "invalid", "command"] as const;
/** What the caller cannot mend by trying again. */
const FINAL_CODES = ["not-found", "invalid-input", "unknown-type", "asset-lost"];

function describe(error: unknown) {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    const where = issue?.path.join(".") ?? "";
    const what = `${where === "" ? "" : `${where}: `}${issue?.message ?? ""}`;
    return { message: `not valid: ${what}`, code: "invalid-request", class: "invalid" as const };
  }
  if (error instanceof EngineError) {
    const kind = FINAL_CODES.includes(error.code) ? "invalid" : "transient";
    return { message: error.message, code: error.code, class: kind } as const;
  }
  const failure = asFailure(asAssetFailure(error));
  const { message, code, class: kind } = describeFailure(failure);
  const { retryAfterMs } = failure instanceof JobFailure ? failure : {};
  return { message, code, class: CLASSES.find((each) => each === kind), retryAfterMs };
}
