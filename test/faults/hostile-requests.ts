// Makes requests of every route that fit it nearly, hardly or not at all: generated from the description of the API.
import type { SeededRandom } from "../support/seeded-random.ts";

export interface ApiRoute {
  readonly method: string;
  /** As in the description: `/api/jobs/{id}`. */
  readonly path: string;
  readonly body: Schema | undefined;
  readonly query: readonly string[];
}

export interface HostileRequest {
  readonly method: string;
  /** With its query, ready to be sent. */
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | undefined;
}

/** As much of JSON Schema as the description uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

export interface ApiDescription {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
}

export function routesOf({ paths }: ApiDescription): ApiRoute[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      body: requestBody?.content["application/json"]?.schema,
      query: parameters.filter((one) => one.in === "query").map(({ name }) => name),
    })),
  );
}

const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    -1,
    0,
    1,
    1.5,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    1e308,
    "",
    " ",
    "a",
    "\0",
    "\ud800",
    "\u202e",
  ],
  ...[
    "null",
    "1e999",
    "-0",
    "NaN",
    "'; drop table croft.job; --",
    "../../etc/passwd",
    "%00",
    "{{7*7}}",
    "\r\nx: y",
  ],
  ...[
    "interactive",
    "cancel",
    "command",
    "pause",
    "noop",
    "local",
    "2999-01-01T00:00:00Z",
    "9999-99-99T99:99:99Z",
  ],
  ...[
    "* * * * *",
    "*/0 * * * *",
    "60 24 32 13 8",
    "UTC",
    "Nowhere/Town",
    "a".repeat(300),
    "x".repeat(70_000),
  ],
  ...[
    "-infinity",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999+14:00",
    "1970-01-01T00:00:00.0000000000001Z",
    "+275760-09-13T00:00:00.001Z",
    "😀".repeat(100),
  ],
  ...[[], {}, [[]], [null], { a: 1 }, { "": "" }, { "\0": 1 }, { constructor: { prototype: 1 } }],
];

/** What is right by its name, so that the rest of a request gets far. */
const RIGHT: Readonly<Record<string, unknown>> = {
  type: "command",
  input: { repository: "https://127.0.0.1:1/a.git", command: "true" },
  cron: "0 0 1 1 *",
  time_zone: "Europe/Berlin",
  action: "cancel",
  filter: { key: "none" },
  run_at: "2999-01-01T00:00:00Z",
};

const BODIES: readonly (string | Buffer)[] = [
  ...[
    "",
    " ",
    "{",
    "}",
    "[",
    "null",
    "true",
    "1",
    '"a"',
    "[]",
    "{}",
    "{}{}",
    "\ufeff{}",
    '{"a":1,}',
    "NaN",
  ],
  ...[
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"a":1,"a":2}',
    '{"type":1e999}',
  ],
  ...['{"type":"\\ud800"}', '{"input":{"a":"\\u0000"}}', deep(400), deep(100_000)],
  `{"type":"noop","input":{"a":${deep(3000)}}}`,
  `{"type":"noop","input":{"a":${deep(100_000)}}}`,
  `{"type":"command","input":{"repository":"${"a".repeat(500_000)}"}}`,
  `{"type":"${"a".repeat(1_100_000)}"}`,
  ...[Buffer.from([0xff, 0xfe, 0x00]), Buffer.from([0x7b, 0xc3, 0x28, 0x7d]), Buffer.alloc(64)],
];

const HEADERS: readonly [string, readonly string[]][] = [
  [
    "content-type",
    [
      "text/plain",
      "application/json; charset=utf-16",
      "multipart/form-data",
      "a/b;;",
      "application/x-www-form-urlencoded",
    ],
  ],
  ["content-encoding", ["gzip", "br", "nothing"]],
  [
    "idempotency-key",
    ["a", "a b", "k".repeat(255), "k".repeat(256), "\u00ff", "key, key", '"quoted"'],
  ],
  [
    "last-event-id",
    [
      "0",
      "-1",
      "1-1",
      "99999999999999999999",
      "9223372036854775807-9",
      "18446744073709551615-1",
      "a",
      "1".repeat(70),
      "0x10",
    ],
  ],
  [
    "range",
    ["bytes=0-", "bytes=-1", "bytes=5-1", "bytes=999999999999999-", "lines=1-2", "bytes=0-1,2-3"],
  ],
  ["accept", ["text/html", "*/*;q=0", "a"]],
  [
    "authorization",
    ["Bearer", "Bearer x", "Basic YTpi", `Bearer croft_${"a".repeat(16)}_${"b".repeat(43)}`],
  ],
  ["cookie", ["croft_session=x", "=;=;", "a=b; croft_session="]],
  ["origin", ["null", "https://evil.example", "http://localhost"]],
  ["x-forwarded-for", ["127.0.0.1", "::1, ::2", "'"]],
  ["x-request-id", ["a".repeat(300), "<script>"]],
  ["expect", ["100-continue"]],
  ["transfer-encoding", ["chunked"]],
];

const IDS = [
  ...[
    "00000000-0000-0000-0000-000000000000",
    "not-an-id",
    "%00",
    "%ff",
    "..%2f..%2fetc",
    "%2e%2e",
    "{id}",
    "1",
    "'",
  ],
  ...[
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "a".repeat(3000),
    "0190-",
    "01A1E246-C651-7000-BA6E-35267BA618CE",
    "%20",
  ],
];

export class HostileRequests {
  readonly #schemas: Record<string, Schema>;
  readonly #random: SeededRandom;
  readonly #ids: readonly string[];

  /** `ids` are real ones, some of them foreign. */
  constructor(api: ApiDescription, random: SeededRandom, ids: readonly string[]) {
    this.#schemas = api.components.schemas;
    this.#random = random;
    this.#ids = ids;
  }

  next(route: ApiRoute, credentials: Record<string, string>): HostileRequest {
    const headers = { ...credentials };
    const body = this.#bodyFor(route);
    if (body !== undefined) headers["content-type"] = "application/json";
    if (this.#random.below(3) === 0) {
      const [name, values] = this.#oneOf(HEADERS);
      headers[name] = this.#oneOf(values);
    }
    return { method: route.method, target: this.#targetOf(route), headers, body };
  }

  #targetOf({ path, query }: ApiRoute): string {
    const target = path.replace(/\{[^}]*\}/g, () => {
      const isReal = this.#ids.length > 0 && this.#random.below(2) === 0;
      return isReal ? this.#oneOf(this.#ids) : this.#oneOf(IDS);
    });
    if (this.#random.below(2) === 0) return target;
    const names = [...query, "limit", "cursor", "after", "__proto__", "a[b]", "%00"];
    const pairs = Array.from({ length: 1 + this.#random.below(3) }, () => {
      const value = this.#oneOf(VALUES);
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `${this.#oneOf(names)}=${encodeURIComponent(Buffer.from(text).toString().slice(0, 2000))}`;
    });
    return `${target}?${pairs.join("&")}`;
  }

  #bodyFor({ method, body }: ApiRoute): Buffer | undefined {
    if (method === "GET") return this.#random.below(50) === 0 ? Buffer.from("{}") : undefined;
    if (body === undefined && this.#random.below(2) === 0) return undefined;
    if (body === undefined || this.#random.below(3) === 0) return Buffer.from(this.#oneOf(BODIES));
    return Buffer.from(JSON.stringify(this.#sample(body, 0)));
  }

  /** Mostly what the schema asks for, with something else in one place of twelve. */
  #sample(schema: Schema, depth: number): unknown {
    if (depth > 5 || this.#random.below(12) === 0) return this.#oneOf(VALUES);
    if (schema.$ref !== undefined) {
      return this.#sample(this.#schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, depth);
    }
    if (schema.enum !== undefined) return this.#oneOf(schema.enum);
    if (schema.anyOf !== undefined) return this.#sample(this.#oneOf(schema.anyOf), depth);
    if (schema.properties !== undefined) {
      const entries = Object.entries(schema.properties).filter(
        ([name]) => this.#random.below(name in RIGHT ? 8 : 3) > 0,
      );
      const members = entries.map(([name, one]) => [
        name,
        name in RIGHT && this.#random.below(4) > 0 ? RIGHT[name] : this.#sample(one, depth + 1),
      ]);
      if (this.#random.below(6) === 0) members.push(["surplus", this.#oneOf(VALUES)]);
      return Object.fromEntries(members);
    }
    if (schema.type === "array") return [this.#sample(schema.items ?? {}, depth + 1)];
    if (schema.type === "string")
      return this.#oneOf(VALUES.filter((one) => typeof one === "string"));
    if (schema.type === "integer" || schema.type === "number") return this.#random.below(200);
    if (schema.type === "boolean") return this.#random.below(2) === 0;
    return this.#oneOf(VALUES);
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[this.#random.below(values.length)] as T;
  }
}
