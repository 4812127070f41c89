// JSON as the database can keep it, and as every program between can read it.

/** Half of a surrogate pair, or the character 0, as JSON.stringify writes them: PostgreSQL stores neither. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;
/** Parsers recurse: Node gives up at about 5,000, PostgreSQL at 10,000. */
const DEPTH_MAX = 500;

/** Undefined when it is not JSON, too deep, or has characters that cannot be stored. */
export function storableJson(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value) ?? "null";
    return UNSTORABLE.test(text) || depthOf(text) > DEPTH_MAX ? undefined : text;
  } catch {
    return undefined; // a cycle, a BigInt, or deeper than it can go
  }
}

function depthOf(json: string): number {
  let depth = 0;
  let most = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (isText && char === "\\") at++;
    else if (char === '"') isText = !isText;
    else if (isText) continue;
    else if (char === "[" || char === "{") most = Math.max(most, ++depth);
    else if (char === "]" || char === "}") depth--;
  }
  return most;
}
