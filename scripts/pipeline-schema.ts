// The JSON Schema of pipelines as docs/pipeline.schema.json has it.
import { pipelineJsonSchema } from "@croft/pipeline";

export function pipelineSchema(): string {
  return `${JSON.stringify(pipelineJsonSchema(), null, 2)}\n`;
}
