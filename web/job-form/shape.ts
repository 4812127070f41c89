// The shape of a value, as far as a form can ask for it. What a form cannot ask for is a `json` field.

interface About {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** What it is when nobody says; undefined where nothing is. */
  readonly start: unknown;
}

export interface TextShape extends About {
  readonly kind: "text";
  readonly format: string | undefined;
  readonly pattern: string | undefined;
  readonly lengthMin: number | undefined;
  readonly lengthMax: number | undefined;
}

export interface NumberShape extends About {
  readonly kind: "number";
  readonly isInteger: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export interface ChoiceShape extends About {
  readonly kind: "choice";
  readonly options: readonly (string | number | boolean | null)[];
}

export interface ListShape extends About {
  readonly kind: "list";
  readonly item: Shape;
  readonly lengthMax: number | undefined;
}

export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
}

export interface ObjectShape extends About {
  readonly kind: "object";
  readonly fields: readonly Field[];
}

/** Names that somebody chooses, each with a value. */
export interface RecordShape extends About {
  readonly kind: "record";
  readonly value: Shape;
}

export interface UnionShape extends About {
  readonly kind: "union";
  readonly options: readonly { readonly words: string; readonly shape: Shape }[];
}

/** Always the same: nobody is asked. */
export interface ConstantShape extends About {
  readonly kind: "constant";
  readonly value: unknown;
}

export type Shape =
  | TextShape
  | NumberShape
  | (About & { readonly kind: "boolean" })
  | ChoiceShape
  | ListShape
  | ObjectShape
  | RecordShape
  | UnionShape
  | ConstantShape
  | (About & { readonly kind: "json" });
