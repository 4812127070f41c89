// The job types that can be submitted, for forms and programs.
import type { JobTypeInfo, JobTypeList } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { inputJsonSchema, type JsonSchema } from "./input-json-schema.ts";
import type { JobType, JobTypes } from "./job-type.ts";

/** A schema does not change while the process lives, and is not made in a moment. */
const schemas = new WeakMap<JobType, JsonSchema | null>();

/** Those of this process. */
export function describeJobTypes(types: JobTypes): JobTypeInfo[] {
  return [...types.values()]
    .filter(({ isOfRuns }) => isOfRuns !== true)
    .map((type) => ({
      name: type.name,
      description: type.description ?? null,
      input: schemaOf(type),
      source: type.source ?? "built-in",
    }));
}

/** And those that only other workers have, or had a while ago: a submission may name them, too. */
export async function listJobTypes({ pool }: Database, types: JobTypes): Promise<JobTypeList> {
  const { rows } = await pool.query<{ name: string }>(
    `select distinct unnest(types) as name from croft.worker
     where ended_at is null or ended_at > croft.now() - interval '1 day'`,
  );
  const elsewhere = rows
    .filter(({ name }) => !types.has(name))
    .map(({ name }) => ({ name, description: null, input: null, source: "project" as const }));
  const all = [...describeJobTypes(types), ...elsewhere];
  return { job_types: all.sort((one, other) => (one.name < other.name ? -1 : 1)) };
}

function schemaOf(type: JobType): JsonSchema | null {
  const known = schemas.get(type);
  if (known !== undefined) return known;
  const made = inputJsonSchema(type.input) ?? null;
  schemas.set(type, made);
  return made;
}
