// What a run does next, with what its expressions say; texts of artifacts are read for one step after the other.
import {
  compileCondition,
  type ExpressionContext,
  ExpressionFailure,
  evaluateCondition,
  expandMatrix,
  type Pipeline,
  type Step,
} from "@croft/pipeline";
import { type ArtifactTexts, namedInDecision } from "./artifact-texts.ts";
import { type Expressions, nextMoves } from "./next-moves.ts";
import type { Move, RunState } from "./run-state.ts";

export interface DecisionSource {
  contextOf(step: Step): ExpressionContext;
  textsOf(step: Step): Promise<ArtifactTexts>;
}

/** Lists from artifacts stay in memory until they are written: beyond this the rest is decided when they have been. */
const READ_LENGTH_MAX = 16 * 1024 * 1024;

/**
 * Deciding is pure and knows no waiting. So a question that needs artifacts is left open at first; it is answered, the texts
 * are let go, and it is decided again. Moves of a step with an open question do not count.
 */
export async function decideMoves(
  pipeline: Pipeline,
  state: RunState,
  source: DecisionSource,
): Promise<readonly Move[]> {
  const questions = new Questions(source);
  for (let readLength = 0; ; ) {
    const open = questions.begin();
    const moves = nextMoves(pipeline, state, questions);
    const ready = moves.filter((move) => !("step" in move) || !open.has(move.step));
    if (open.size === 0 || (readLength > READ_LENGTH_MAX && ready.length > 0)) return ready;
    readLength = 0;
    for (const ask of open.values()) {
      readLength += await ask();
      if (readLength > READ_LENGTH_MAX) break;
    }
  }
}

type Wanted = ReturnType<Expressions["isWanted"]>;
type Items = ReturnType<Expressions["itemsOf"]>;
/** Answers its question, and returns how much was read for that. */
type Ask = () => Promise<number>;

class Questions implements Expressions {
  readonly #source: DecisionSource;
  readonly #wanted = new Map<string, Wanted>();
  readonly #items = new Map<string, Items>();
  #open = new Map<string, Ask>();

  constructor(source: DecisionSource) {
    this.#source = source;
  }

  begin(): ReadonlyMap<string, Ask> {
    this.#open = new Map();
    return this.#open;
  }

  isWanted: Expressions["isWanted"] = (step, standing) => {
    const { if: condition } = step;
    if (condition === undefined) return standing.success;
    return this.#answer(this.#wanted, step, false, "its condition", (context) =>
      evaluateCondition(compileCondition(condition), context, standing),
    );
  };

  itemsOf: Expressions["itemsOf"] = (step) => {
    const matrix = "matrix" in step ? step.matrix : undefined;
    if (matrix === undefined) return [];
    return this.#answer<Items>(this.#items, step, [], "its matrix", (context) => {
      const expanded = expandMatrix(matrix, context);
      return expanded.items ?? { fault: `its matrix: ${expanded.problem}` };
    });
  };

  #answer<Answer>(
    answers: Map<string, Answer | { readonly fault: string }>,
    step: Step,
    unknown: Answer,
    what: string,
    evaluate: (context: ExpressionContext) => Answer,
  ): Answer | { readonly fault: string } {
    const known = answers.get(step.id);
    if (known !== undefined) return known;
    const evaluated = (artifacts: ArtifactTexts) =>
      orFault(what, () => evaluate({ ...this.#source.contextOf(step), artifacts }));
    if (namedInDecision(step).length === 0) return evaluated({});
    this.#open.set(step.id, async () => {
      const texts = await this.#source.textsOf(step).catch(onlyExpressionFailure);
      answers.set(
        step.id,
        texts instanceof ExpressionFailure
          ? { fault: `${what}: ${texts.message}` }
          : evaluated(texts),
      );
      return texts instanceof ExpressionFailure ? 0 : lengthOf(texts);
    });
    return unknown;
  }
}

function orFault<Answer>(what: string, evaluate: () => Answer): Answer | { fault: string } {
  try {
    return evaluate();
  } catch (error) {
    return { fault: `${what}: ${onlyExpressionFailure(error).message}` };
  }
}

function onlyExpressionFailure(error: unknown): ExpressionFailure {
  if (error instanceof ExpressionFailure) return error;
  throw error;
}

function lengthOf(texts: ArtifactTexts): number {
  const all = Object.values(texts).flatMap((each) => Object.values(each));
  return all.reduce((sum, { length }) => sum + length, 0);
}
