// The package's public names.
export { inputFault } from "./check/check-header.ts";
export { addressFault, envNameFault, globFault, pathFault, refFault } from "./check/plain-rules.ts";
export { checkUse, type PipelineUse } from "./check-use.ts";
export { durationMs } from "./duration.ts";
export { checkTemplate, type ExpressionScope } from "./expression/check-expression.ts";
export {
  artifactsUsedBy,
  type ExpressionContext,
  evaluateCondition,
  evaluateTemplate,
  evaluateText,
} from "./expression/evaluate.ts";
export { ExpressionFailure } from "./expression/expression-failure.ts";
export { ExpressionWork } from "./expression/expression-work.ts";
export type { RunStatus } from "./expression/functions.ts";
export {
  type CompiledCondition,
  type CompiledTemplate,
  compileCondition,
  compileTemplate,
  type Template,
  type TemplateFault,
} from "./expression/template.ts";
export {
  ANY,
  type MemberShape,
  members,
  SCALAR,
  scalars,
  type ValueShape,
} from "./expression/value-shape.ts";
export { findCycle, type Graph, type GraphNode, planGraph } from "./graph.ts";
export { pipelineJsonSchema } from "./json-schema.ts";
export { type ExpandedMatrix, expandMatrix, type MatrixItem } from "./matrix/expand-matrix.ts";
export {
  type GithubTrigger,
  type TriggerFault,
  triggerFaults,
} from "./model/github-trigger.ts";
export type {
  Matrix,
  MatrixValues,
  Pipeline,
  PipelineInput,
  RepositorySource,
  TemplateText,
  Triggers,
} from "./model/pipeline.ts";
export type {
  ApprovalStep,
  CommentStep,
  Injection,
  IntegrateStep,
  OnCheckFailure,
  PublishStep,
  PullRequestPlan,
  RetryClass,
  RetryPolicy,
  RunStep,
  Step,
  StepBase,
  StepCheck,
  StepSecrets,
  StepWorkspace,
  UsesStep,
} from "./model/step.ts";
export { didYouMean } from "./nearest-name.ts";
export {
  type ParsedPipeline,
  type ParseOptions,
  parsePipeline,
  parsePipelineBytes,
} from "./parse-pipeline.ts";
export { MATRIX_ITEMS_MAX, PIPELINE_BYTES_MAX, STEPS_MAX } from "./pipeline-limits.ts";
export { type Path, type Position, type Problem, problemText } from "./problem.ts";
export { readInputs } from "./read-inputs.ts";
export type { JsonValue } from "./yaml/yaml-node.ts";
