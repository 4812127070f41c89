// The format as JSON Schema (draft 2020-12), for editors: the same description that the parser reads with.
import { z } from "zod";
import { STEP_KINDS } from "./check/step-kind.ts";
import { pipelineFields } from "./format/pipeline-fields.ts";
import { stepFields } from "./format/step-fields.ts";

export function pipelineJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(pipelineFields, {
    target: "draft-2020-12",
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      // What the parser checks in words: a step does exactly one thing.
      if (zodSchema === stepFields)
        jsonSchema.oneOf = STEP_KINDS.map((kind) => ({ required: [kind] }));
    },
  });
  return { ...schema, title: "Croft pipeline" };
}
