// What a run does next, with what its expressions say; for one step after the other, and no more at once than there is time for.
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  compileCondition,
  type ExpressionContext,
  ExpressionFailure,
  ExpressionWork,
  evaluateCondition,
  expandMatrix,
  type Pipeline,
  type Step,
} from "@croft/pipeline";
import { monotonicMs } from "../worker/monotonic-ms.ts";
import { type ArtifactTexts, namedInDecision } from "./artifact-texts.ts";
import { beginningSteps, type Expressions, nextMoves, type Standing } from "./next-moves.ts";
import type { Move, RunState } from "./run-state.ts";

export interface DecisionSource {
  contextOf(step: Step): ExpressionContext;
  textsOf(step: Step): Promise<ArtifactTexts>;
}

/** What expressions say of one step. */
interface Answer {
  readonly isWanted: ReturnType<Expressions["isWanted"]>;
  readonly items?: Exclude<ReturnType<Expressions["itemsOf"]>, { readonly fault: string }>;
}

/** What was found out is done before more is: lists from artifacts stay in memory until they are written. */
const ITEMS_AT_ONCE = 1000;
const LENGTH_AT_ONCE = 16 * 1024 * 1024;
const ASKING_MS_MAX = 500;
/** For so long nobody else in this process waits. */
const TURN_MS = 50;

/**
 * Deciding is pure and knows no waiting. So the steps that can begin are asked first, each with the texts that it names,
 * which are let go again. Those that it did not come to are left out: whoever asks again comes to them.
 */
export async function decideMoves(
  pipeline: Pipeline,
  state: RunState,
  source: DecisionSource,
): Promise<readonly Move[]> {
  const answers = new Map<string, Answer>();
  const endsAt = monotonicMs() + ASKING_MS_MAX;
  let turnAt = monotonicMs() + TURN_MS;
  let items = 0;
  let length = 0;
  for (const { step, standing } of beginningSteps(pipeline, state)) {
    const now = monotonicMs();
    if (now > endsAt || items > ITEMS_AT_ONCE || length > LENGTH_AT_ONCE) break;
    if (now > turnAt) {
      await nextTurn();
      turnAt = monotonicMs() + TURN_MS;
    }
    const answer = await answerOf(step, standing, source, (read) => {
      length += read;
    });
    items += answer.items?.length ?? 0;
    answers.set(step.id, answer);
  }
  return nextMoves(pipeline, state, {
    isWanted: ({ id }) => answers.get(id)?.isWanted,
    itemsOf: ({ id }) => answers.get(id)?.items ?? [],
  });
}

async function answerOf(
  step: Step,
  standing: Standing,
  source: DecisionSource,
  onRead: (length: number) => void,
): Promise<Answer> {
  const { if: condition } = step;
  const matrix = "matrix" in step ? step.matrix : undefined;
  if (condition === undefined && !standing.success) return { isWanted: false };
  if (condition === undefined && matrix === undefined) return { isWanted: true };
  let what = condition === undefined ? "its matrix" : "its condition";
  try {
    const artifacts = namedInDecision(step).length === 0 ? {} : await source.textsOf(step);
    onRead(lengthOf(artifacts));
    const context = { ...source.contextOf(step), artifacts, work: new ExpressionWork() };
    const isWanted =
      condition === undefined || evaluateCondition(compileCondition(condition), context, standing);
    if (!isWanted) return { isWanted: false };
    if (matrix === undefined) return { isWanted: true };
    what = "its matrix";
    const expanded = expandMatrix(matrix, context);
    if (expanded.items === undefined) throw new ExpressionFailure(expanded.problem);
    return { isWanted: true, items: expanded.items };
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error;
    return { isWanted: { fault: `${what}: ${error.message}` } };
  }
}

function lengthOf(texts: ArtifactTexts): number {
  const all = Object.values(texts).flatMap((each) => Object.values(each));
  return all.reduce((sum, { length }) => sum + length, 0);
}
