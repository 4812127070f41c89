// Every expression of a pipeline: it can be read, and all it names exists at its place.
import { checkTemplate, type ExpressionScope } from "../expression/check-expression.ts";
import { compileCondition, compileTemplate, type Template } from "../expression/template.ts";
import { contextsIn } from "../expression/walk-expression.ts";
import type { StepFields } from "../format/step-fields.ts";
import type { Graph } from "../graph.ts";
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
    checkPlace(place, scope, findings);
  };
  for (const place of headerTemplates(draft.header)) {
    check(place, () => headerScope(place, shapes));
  }
  for (const [id, step] of draft.steps) {
    for (const place of stepTemplates(id, step))
      check(place, () => stepScope(place, id, step, shapes));
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

function checkPlace(place: TemplatePlace, scope: () => ExpressionScope, findings: Findings): void {
  const { path, text, when } = place;
  if (when !== "condition" && !text.includes("${{")) return;
  const { template, faults } =
    when === "condition" ? compileCondition(text) : compileTemplate(text);
  const found = template === undefined ? faults : checkTemplate(template, scope());
  for (const { offset, message, suggestion } of found)
    findings.inText(path, offset, message, suggestion);
  if (template !== undefined && place.isScript === true) warnOfScript(path, template, findings);
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
