// `1.10` in YAML is the number 1.1: where a text is meant, that is told.
import type { Path } from "../problem.ts";
import type { YamlNode } from "../yaml/yaml-node.ts";
import type { Findings } from "./findings.ts";

/** Variables are texts, and so are most values of a matrix. */
const TEXTUAL = new Set(["env", "with", "matrix"]);

export function warnOfNumbers(root: YamlNode, findings: Findings): void {
  visit(root, [], false, findings);
}

function visit(node: YamlNode, path: Path, isTextual: boolean, findings: Findings): void {
  if (node.kind === "map") {
    for (const { key, value } of node.entries) {
      visit(value, [...path, key], isTextual || TEXTUAL.has(key), findings);
    }
  } else if (node.kind === "list") {
    node.items.forEach((item, index) => {
      visit(item, [...path, index], isTextual, findings);
    });
  } else if (isTextual && typeof node.value === "number") {
    const written = findings.textBetween(node.start, node.end);
    if (written === String(node.value)) return;
    findings.warning(path, `${written} is read as the number ${node.value}`, "put it in quotes");
  }
}
