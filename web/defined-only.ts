// An object without the properties that have no value, for calls that tell the two apart.

export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function definedOnly<T extends object>(object: T): Defined<T> {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

/** As the API's client takes it: what may be left out has a value where it is not. */
export type Exact<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]: Exact<Exclude<T[K], undefined>> }
    : T;
