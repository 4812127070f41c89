// Every expression of a pipeline: it can be read, and all it names exists at its place.
import { checkTemplate, type ExpressionScope } from "../expression/check-expression.ts";
import { artifactsUsedBy } from "../expression/evaluate.ts";
import { compileCondition, compileTemplate, type Template } from "../expression/template.ts";
import { contextsIn } from "../expression/walk-expression.ts";
import type { StepFields } from "../format/step-fields.ts";
import type { Graph } from "../graph.ts";
import { ARTIFACTS_MAX } from "../pipeline-limits.ts";
import { type Path, pathText } from "../problem.ts";
import type { YamlNode } from "../yaml/yaml-node.ts";
import { ContextShapes, contextsOf } from "./context-shapes.ts";
import type { Draft } from "./draft.ts";
import type { Findings } from "./findings.ts";
import { headerTemplates, stepTemplates, type TemplatePlace } from "./template-places.ts";

export function checkTemplates(
  root: YamlNode,
  draft: Draft,
  graph: Graph | undefined,
  findings: Findings,
): void {
  const shapes = new ContextShapes(draft, graph);
  const seen = new Set<string>();
  const check = (place: TemplatePlace, scope: () => ExpressionScope) => {
    seen.add(pathText(place.path));
    return checkPlace(place, scope, findings);
  };
  for (const place of headerTemplates(draft.header)) {
    check(place, () => headerScope(place, shapes));
  }
  for (const [id, step] of draft.steps) {
    const templates = [...stepTemplates(id, step)].flatMap(
      (place) => check(place, () => stepScope(place, id, step, shapes)) ?? [],
    );
    checkCount(id, templates, findings);
  }
  for (const { path, index } of expressionsIn(root, [])) {
    const [section = "", id = ""] = path.map(String);
    const isBroken = section === "steps" ? draft.broken.has(id) : !(section in draft.header);
    if (seen.has(pathText(path)) || isBroken || path.at(-1) === "description") continue;
    findings.inText(path, index, "expressions are not allowed here");
  }
}

function headerScope({ when }: TemplatePlace, shapes: ContextShapes): ExpressionScope {
  const contexts = { first: shapes.first(), beginning: shapes.beginning(), end: shapes.end() };
  const given = when === "first" || when === "end" ? contexts[when] : contexts.beginning;
  return {
    contexts: contextsOf(when === "first" ? "'repository'" : "this place", given),
    hasStatus: false,
  };
}

function stepScope(
  { when }: TemplatePlace,
  id: string,
  step: StepFields,
  shapes: ContextShapes,
): ExpressionScope {
  switch (when) {
    case "condition":
      return { contexts: contextsOf("'if'", shapes.before(id)), hasStatus: true };
    case "before":
      return { contexts: contextsOf("the lists of a matrix", shapes.before(id)), hasStatus: false };
    case "inside":
      return { contexts: contextsOf("this place", shapes.inside(id, step)), hasStatus: false };
    default:
      return { contexts: contextsOf("this place", shapes.withEnv(id, step)), hasStatus: false };
  }
}

/** Their texts must all be at hand when the step begins. */
function checkCount(id: string, templates: readonly Template[], findings: Findings): void {
  const naming = templates.filter(({ source }) => /artifacts/i.test(source));
  const used = naming.flatMap((template) => artifactsUsedBy(template));
  const count = new Set(used.map(({ step, artifact }) => `${step}.${artifact}`)).size;
  if (count <= ARTIFACTS_MAX) return;
  const message = `expressions of step '${id}' name ${count} artifacts: at most ${ARTIFACTS_MAX}`;
  findings.keyProblem(["steps", id], message, "use 'inject' for files");
}

function checkPlace(
  place: TemplatePlace,
  scope: () => ExpressionScope,
  findings: Findings,
): Template | undefined {
  const { path, text, when } = place;
  if (when !== "condition" && !text.includes("${{")) return undefined;
  const { template, faults } =
    when === "condition" ? compileCondition(text) : compileTemplate(text);
  const found = template === undefined ? faults : checkTemplate(template, scope());
  for (const { offset, message, suggestion } of found)
    findings.inText(path, offset, message, suggestion);
  if (template !== undefined && place.isScript === true) warnOfScript(path, template, findings);
  return template;
}

const FOREIGN = ["event", "artifacts"];

/** What others wrote becomes part of the script, and is run. */
function warnOfScript(path: Path, template: Template, findings: Findings): void {
  for (const part of template.parts) {
    if (typeof part === "string") continue;
    const token = contextsIn(part.expression.tree).find(({ lexeme }) =>
      FOREIGN.includes(lexeme.toLowerCase()),
    );
    if (token === undefined) continue;
    const at = part.offset + part.expression.offsetOf(token);
    const message = `'${token.lexeme}' becomes part of the script and could run as a command`;
    findings.warningInText(path, at, message, "put it into 'env' and use the variable");
  }
}

function* expressionsIn(node: YamlNode, path: Path): Generator<{ path: Path; index: number }> {
  if (node.kind === "map") {
    for (const { key, value } of node.entries) yield* expressionsIn(value, [...path, key]);
  } else if (node.kind === "list") {
    for (const [index, item] of node.items.entries()) yield* expressionsIn(item, [...path, index]);
  } else if (typeof node.value === "string") {
    const index = node.value.indexOf("${{");
    if (index !== -1) yield { path, index };
  }
}
