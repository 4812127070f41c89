// An input's shape as JSON Schema, for forms, documents and programs.
import { z } from "zod";
import type { InputSchema } from "./input-schema.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

interface JsonSchemaConverter {
  readonly input?: ((options: { readonly target: string }) => Record<string, unknown>) | undefined;
}

const TARGET = "draft-2020-12";
/** More would be no form, and every reader of the API's description would have to take it. */
const LENGTH_MAX = 256 * 1024;

/** As it is sent. Undefined where its library cannot say it, or says it at too great a length. */
export function inputJsonSchema(schema: InputSchema): JsonSchema | undefined {
  try {
    const said = convert(schema);
    if (said === undefined) return undefined;
    const text = JSON.stringify(said);
    return text.length > LENGTH_MAX ? undefined : (JSON.parse(text) as JsonSchema);
  } catch {
    return undefined; // a custom type, or a zod of another version: the input is checked all the same
  }
}

function convert(schema: InputSchema): Record<string, unknown> | undefined {
  if ("_zod" in schema) {
    const options = { io: "input", target: TARGET, unrepresentable: "any" } as const;
    return { ...z.toJSONSchema(schema as unknown as z.ZodType, options) };
  }
  const { jsonSchema } = schema["~standard"] as { readonly jsonSchema?: JsonSchemaConverter };
  return jsonSchema?.input?.({ target: TARGET });
}
