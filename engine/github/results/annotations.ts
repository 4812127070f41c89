// Remarks on lines of files, as a step leaves them in `checks.json`, for the check run at GitHub.
import { pathFault } from "@croft/pipeline";
import { z } from "zod";
import { storable } from "../../jobs/job-failure.ts";

/** As GitHub takes it. */
export interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: "notice" | "warning" | "failure";
  readonly message: string;
  readonly title?: string;
}

export interface ReadAnnotations {
  readonly annotations: readonly Annotation[];
  /** What was left out, and why. */
  readonly faults: readonly string[];
}

/** Of one check run; GitHub's page shows fewer. */
export const ANNOTATIONS_MAX = 500;
/** 64 KB each, whatever they are written in. */
const MESSAGE_LENGTH_MAX = 16_000;
const TITLE_LENGTH_MAX = 255;
const LINE_MAX = 2 ** 31 - 1;
const FAULTS_MAX = 10;

const line = z.int().min(1).max(LINE_MAX);
export const AnnotationWish = z.object({
  path: z.string().min(1).max(4096),
  start_line: line,
  end_line: line.optional(),
  level: z.enum(["notice", "warning", "failure"]),
  message: z.string().min(1),
  title: z.string().optional(),
});
export type AnnotationWish = z.infer<typeof AnnotationWish>;

/** A list, or a map with `annotations`; what is wrong in it spoils nothing else. */
export function readAnnotations(text: string): ReadAnnotations {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { annotations: [], faults: ["it is no JSON"] };
  }
  const list = Array.isArray(value)
    ? value
    : ((value ?? {}) as { readonly annotations?: unknown }).annotations;
  if (!Array.isArray(list)) return { annotations: [], faults: ["it has no list 'annotations'"] };
  const annotations: Annotation[] = [];
  const faults: string[] = [];
  for (const [index, entry] of list.entries()) {
    const read = readOne(entry);
    if (typeof read === "string") {
      if (faults.length < FAULTS_MAX) faults.push(`annotation ${index + 1}: ${read}`);
    } else if (annotations.length < ANNOTATIONS_MAX) annotations.push(read);
  }
  return { annotations, faults };
}

export function annotationOf(wish: AnnotationWish): Annotation {
  const { path, start_line, end_line = start_line, level, message, title = "" } = wish;
  return {
    ...{ path, start_line, end_line, annotation_level: level },
    message: storable(message).slice(0, MESSAGE_LENGTH_MAX),
    ...(title === "" ? {} : { title: storable(title).slice(0, TITLE_LENGTH_MAX) }),
  };
}

/** Or what is wrong with it. */
function readOne(entry: unknown): Annotation | string {
  const read = AnnotationWish.safeParse(entry);
  if (!read.success) {
    const [issue] = read.error.issues;
    return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}`;
  }
  const fault = faultOf(read.data);
  return fault ?? annotationOf(read.data);
}

export function faultOf({ path, start_line, end_line }: AnnotationWish): string | undefined {
  const fault = pathFault(path);
  if (fault !== undefined) return `path ${fault}`;
  return end_line !== undefined && end_line < start_line
    ? "end_line is before start_line"
    : undefined;
}
