// What is wrong with a JSON text by a JSON schema. For a thread: the schema's patterns can take forever on a long text.
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export type SchemaAnswer =
  | { readonly kind: "faults"; readonly faults: readonly string[]; readonly count: number }
  | { readonly kind: "no-schema" | "no-json" }
  | { readonly kind: "unusable"; readonly reason: string };

/** More are counted, not told. */
const FAULTS_MAX = 10;
/** A key can be as long as the text. */
const FAULT_LENGTH_MAX = 500;

export function schemaFaults({
  schema,
  value,
}: {
  readonly schema: string;
  readonly value: string;
}): SchemaAnswer {
  const given = parseJson(schema);
  if (given === undefined) return { kind: "no-schema" };
  const read = parseJson(value);
  if (read === undefined) return { kind: "no-json" };
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
  addFormats.default(ajv);
  try {
    const validate = ajv.compile(given.json as object);
    // It would answer later, and until then anything would pass.
    if ("$async" in validate) return { kind: "unusable", reason: "'$async' is not supported" };
    if (validate(read.json)) return { kind: "faults", faults: [], count: 0 };
    const errors = validate.errors ?? [];
    const faults = errors
      .slice(0, FAULTS_MAX)
      .map(({ instancePath, message }) =>
        `${instancePath || "/"} ${message}`.slice(-FAULT_LENGTH_MAX),
      );
    return { kind: "faults", faults, count: errors.length };
  } catch (error) {
    // Not a schema, one that names another, or one that goes deeper than the stack.
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "unusable", reason: reason.slice(0, FAULT_LENGTH_MAX) };
  }
}

function parseJson(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
