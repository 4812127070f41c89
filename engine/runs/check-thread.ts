// The thread that answers one question of a check: a pattern of a pipeline may take longer on a text than anybody lives.
import { parentPort, workerData } from "node:worker_threads";
import { matchGlobs } from "./match-globs.ts";
import { type SchemaAnswer, schemaFaults } from "./schema-faults.ts";

export type CheckQuestion =
  | {
      readonly kind: "globs";
      readonly globs: readonly string[];
      readonly paths: readonly string[];
    }
  | {
      readonly kind: "schema";
      /** As JSON, both: reading that takes its time too. */
      readonly schema: string;
      readonly value: string;
    };

/** By the kind of the question; of globs one for each path. */
export interface CheckAnswers {
  readonly globs: readonly boolean[];
  readonly schema: SchemaAnswer;
}

/** `begun`: from here on its time counts, and no more of that goes into starting. */
export type CheckThreadMessage =
  | { readonly kind: "begun" }
  | { readonly kind: "answer"; readonly answer: CheckAnswers[CheckQuestion["kind"]] };

const tell = (message: CheckThreadMessage) => parentPort?.postMessage(message);
const question = workerData as CheckQuestion;
tell({ kind: "begun" });
const answer = question.kind === "globs" ? matchGlobs(question) : schemaFaults(question);
tell({ kind: "answer", answer });
