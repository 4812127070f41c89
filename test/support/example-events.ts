// Every payload that GitHub's own documentation has as an example.
import { createRequire } from "node:module";

export interface ExampleEvent {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Examples {
  readonly name: string;
  readonly examples: readonly ExampleEvent["payload"][];
}

/** Once loaded: three megabytes. */
let loaded: readonly ExampleEvent[] | undefined;

export function exampleEvents(): readonly ExampleEvent[] {
  const require = createRequire(import.meta.url);
  loaded ??= (require("@octokit/webhooks-examples") as readonly Examples[]).flatMap(
    ({ name, examples }) => examples.map((payload) => ({ event: name, payload })),
  );
  return loaded;
}

/** The first one with this action. */
export function exampleOf(event: string, action?: string): ExampleEvent["payload"] {
  const found = exampleEvents().find(
    (each) => each.event === event && (action === undefined || each.payload["action"] === action),
  );
  if (found === undefined) throw new Error(`there is no example of ${event} ${action ?? ""}`);
  return found.payload;
}
