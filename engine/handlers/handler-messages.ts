// What a worker and a process of handlers say to each other. What comes from there is checked: a project's code may write it.
import { z } from "zod";

/** The job as its handler sees it. */
export interface HandledJob {
  readonly id: string;
  readonly owner: string;
  readonly key: string | undefined;
  readonly type: string;
  readonly attempt: number;
  readonly sourceTaskId: string | undefined;
  /** As it was submitted: it is read where the handler is. */
  readonly input: unknown;
}

/** `run` tells the jobs and checks of one process apart: what comes late is of the one before. */
export type ToHandler =
  | {
      readonly kind: "run";
      readonly run: number;
      readonly job: HandledJob;
      readonly directory: string;
    }
  | { readonly kind: "check"; readonly run: number; readonly type: string; readonly input: unknown }
  | { readonly kind: "stop"; readonly run: number; readonly message: string }
  | {
      readonly kind: "answer";
      readonly run: number;
      readonly call: number;
      readonly answer: Answer;
    };

export type Answer = { readonly value: unknown } | { readonly error: HandlerError };

const HandlerError = z.object({
  message: z.string(),
  code: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/)
    .optional(),
  class: z.enum(["transient", "invalid", "command"]).optional(),
  retryAfterMs: z.number().min(0).max(86_400_000).optional(),
  /** For the log: where it was thrown. */
  stack: z.string().optional(),
});
export type HandlerError = z.infer<typeof HandlerError>;

/** What only the worker can do for a handler. */
const Question = z.object({ name: z.string(), request: z.unknown() });
export type Question = z.infer<typeof Question>;

const run = z.int();

export const FromHandler = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("unfit"), message: z.string() }),
  z.object({ kind: z.literal("begun"), run }),
  z.object({
    kind: z.literal("progress"),
    run,
    fraction: z.number().optional(),
    note: z.string().optional(),
  }),
  z.object({ kind: z.literal("ask"), run, call: z.int(), question: Question }),
  /** `isWorn`: it should have no other job. */
  z.object({ kind: z.literal("done"), run, result: z.unknown(), isWorn: z.boolean() }),
  z.object({ kind: z.literal("failed"), run, error: HandlerError }),
]);
export type FromHandler = z.infer<typeof FromHandler>;

/** The result of a check: what is wrong with the input, if anything is. */
export const CheckedInput = z
  .object({
    fault: z.string(),
    fields: z.array(z.object({ path: z.string(), message: z.string() })),
  })
  .nullable();
