// Reads a pipeline: text → YAML within limits → shape → checks → model. All problems are told, not only the first.
import { checkGraph } from "./check/check-graph.ts";
import { checkHeader } from "./check/check-header.ts";
import { checkMatrices } from "./check/check-matrix.ts";
import { checkReferences } from "./check/check-references.ts";
import { checkSteps } from "./check/check-steps.ts";
import { checkTemplates } from "./check/check-templates.ts";
import { readDraft } from "./check/draft.ts";
import { Findings } from "./check/findings.ts";
import { warnOfNumbers } from "./check/warn-of-numbers.ts";
import { buildPipeline } from "./model/build-pipeline.ts";
import type { Pipeline } from "./model/pipeline.ts";
import { PIPELINE_BYTES_MAX } from "./pipeline-limits.ts";
import type { Path, Position, Problem } from "./problem.ts";
import { decodeUtf8, SourceText } from "./source-text.ts";
import { readYaml } from "./yaml/read-yaml.ts";
import { keyOffset, type YamlNode } from "./yaml/yaml-node.ts";

export interface ParseOptions {
  /** For the problems, and for the name of a pipeline that has none. */
  readonly file?: string;
}

export interface ParsedPipeline {
  /** Undefined when there are problems. */
  readonly pipeline: Pipeline | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Where a key stands in the file; of the last one that exists on the way. */
  readonly locate: (path: Path) => Position;
}

const TOO_LARGE = `the file is too large: at most ${PIPELINE_BYTES_MAX} bytes`;
const BEGINNING: Position = { line: 1, column: 1 };

export function parsePipeline(text: string, options: ParseOptions = {}): ParsedPipeline {
  // Characters, not bytes: it is the text that costs time, and it has at most as many of them.
  if (text.length > PIPELINE_BYTES_MAX) return refused(TOO_LARGE, BEGINNING, options);
  const source = new SourceText(text.startsWith("\ufeff") ? text.slice(1) : text);
  const findings = new Findings(source, options.file);
  const root = readYaml(source.text, (offset, message, suggestion) =>
    findings.tellAt(offset, [], message, suggestion),
  );
  const pipeline = root === undefined ? undefined : readPipeline(root, findings, options);
  return {
    pipeline,
    problems: findings.problems,
    warnings: findings.warnings,
    locate: (path) => (root === undefined ? BEGINNING : source.positionOf(keyOffset(root, path))),
  };
}

/** The same from a file's bytes, which may be anything. */
export function parsePipelineBytes(bytes: Uint8Array, options: ParseOptions = {}): ParsedPipeline {
  if (bytes.length > PIPELINE_BYTES_MAX) return refused(TOO_LARGE, BEGINNING, options);
  const decoded = decodeUtf8(bytes);
  if (decoded.text === undefined)
    return refused("the file is not UTF-8 text", decoded.position, options);
  return parsePipeline(decoded.text, options);
}

function readPipeline(
  root: YamlNode,
  findings: Findings,
  { file }: ParseOptions,
): Pipeline | undefined {
  findings.setRoot(root);
  const draft = readDraft(root, findings);
  checkHeader(draft, findings);
  checkSteps(draft, findings);
  const graph = checkGraph(draft, findings);
  if (graph !== undefined) checkReferences(draft, graph, findings);
  checkMatrices(draft, findings);
  checkTemplates(root, draft, graph, findings);
  warnOfNumbers(root, findings);
  if (findings.hasProblems() || graph === undefined) return undefined;
  return buildPipeline(draft, graph, file);
}

function refused(message: string, position: Position, { file }: ParseOptions): ParsedPipeline {
  const problem = { ...(file === undefined ? {} : { file }), ...position, message, path: "" };
  return { pipeline: undefined, problems: [problem], warnings: [], locate: () => BEGINNING };
}
