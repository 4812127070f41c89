// How a run stands, as far as it decides what comes next.
import type { JsonValue } from "@croft/pipeline";

export type RunStatus = "queued" | "running" | "waiting" | "done" | "failed" | "cancelled";

export type StepStatus =
  | "pending"
  | "running"
  | "waiting"
  | "done"
  | "failed"
  | "skipped"
  | "cancelled";

/** A step, or one item of its matrix. */
export interface StepState {
  readonly step: string;
  /** Empty for the step itself. */
  readonly item: string;
  readonly status: StepStatus;
  /** The step of a matrix: its items run, it only ends with them. */
  readonly isGroup: boolean;
  /** Items that must have ended well before. */
  readonly dependsOn: readonly string[];
  /** Not to be told to stop: it was already, or began after the run was cancelled, as what runs `always()` does. */
  readonly isLeftAlone: boolean;
  /** How the run that it is stands, if it is a sub-pipeline. */
  readonly child?: RunStatus | undefined;
}

export interface RunState {
  readonly status: RunStatus;
  readonly isCancelled: boolean;
  /** Cancelled with force: nothing begins any more, `always()` or not. */
  readonly isForced?: boolean | undefined;
  readonly steps: readonly StepState[];
}

export interface NewItem {
  readonly id: string;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly dependsOn: readonly string[];
}

/** What an advance does to a run. */
export type Move =
  /** As a job or a sub-pipeline. */
  | { readonly kind: "start"; readonly step: string; readonly item: string }
  /** A sub-pipeline that nobody is asked in any more, and that waits for the lane. */
  | { readonly kind: "resume"; readonly step: string; readonly item: string }
  /** A person, whether it may go on. */
  | { readonly kind: "ask"; readonly step: string; readonly item: "" }
  | { readonly kind: "expand"; readonly step: string; readonly items: readonly NewItem[] }
  | { readonly kind: "stop"; readonly step: string; readonly item: string }
  | {
      readonly kind: "settle";
      readonly step: string;
      readonly item: string;
      readonly status: "done" | "failed" | "skipped" | "cancelled";
      readonly reason?: string | undefined;
    }
  /** Gives the lane back while only people can go on. */
  | { readonly kind: "wait" }
  /** Gets in line for the lane again. */
  | { readonly kind: "queue" }
  | { readonly kind: "end"; readonly status: "done" | "failed" | "cancelled" };

const ENDED: ReadonlySet<StepStatus> = new Set(["done", "failed", "skipped", "cancelled"]);

export function hasEnded({ status }: Pick<StepState, "status">): boolean {
  return ENDED.has(status);
}

/** The state after a move, for whoever looks further before anything is written. */
export function afterMove(state: RunState, move: Move): RunState {
  const change = (step: string, item: string, changed: Partial<StepState>): RunState => ({
    ...state,
    steps: state.steps.map((each) =>
      each.step === step && each.item === item ? { ...each, ...changed } : each,
    ),
  });
  switch (move.kind) {
    case "start":
      return change(move.step, move.item, { status: "running", isLeftAlone: state.isCancelled });
    case "resume":
      return change(move.step, move.item, { child: "running" });
    case "ask":
      return change(move.step, "", { status: "waiting" });
    case "stop":
      return change(move.step, move.item, { isLeftAlone: true });
    case "settle":
      return change(move.step, move.item, { status: move.status });
    case "expand": {
      const grouped = change(move.step, "", { status: "running", isGroup: true });
      const items = move.items.map(
        ({ id, dependsOn }): StepState => ({
          ...{ step: move.step, item: id, status: "pending", isGroup: false },
          ...{ dependsOn, isLeftAlone: false },
        }),
      );
      return { ...grouped, steps: [...grouped.steps, ...items] };
    }
    case "wait":
      return { ...state, status: "waiting" };
    case "queue":
      return { ...state, status: "queued" };
    case "end":
      return { ...state, status: move.status };
  }
}
