// The shape of an input, in the words that zod and its like have in common (standardschema.dev).

export interface InputSchema<Output = unknown> {
  readonly "~standard": {
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly InputIssue[] };

export interface InputIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export interface FieldFault {
  /** `input`, and the way from there. */
  readonly path: string;
  readonly message: string;
}

export type InputReading<Output = unknown> =
  | { readonly value: Output; readonly fault?: undefined }
  | { readonly fault: string; readonly fields: readonly FieldFault[] };

const ISSUES_MAX = 20;

/** With all that is wrong, by its path; so much of it as anybody reads. */
export async function readInput<Output>(
  schema: InputSchema<Output>,
  input: unknown,
): Promise<InputReading<Output>> {
  const validated = await schema["~standard"].validate(input);
  if (validated.issues === undefined) return { value: validated.value };
  const fields = validated.issues.slice(0, ISSUES_MAX).map(({ message, path = [] }) => {
    const names = path.map((part) => String(typeof part === "object" ? part.key : part));
    return { path: ["input", ...names].join("."), message };
  });
  const reasons = fields.map(({ path, message }) => `${path}: ${message}`);
  const more = validated.issues.length - fields.length;
  const fault = `not valid: ${reasons.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  return { fault, fields };
}
