// What a server does for GitHub: handles its events, shows how runs stand, and asks for events that did not arrive.
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Engine } from "../engine.ts";
import { CheckRunner } from "./check-runner.ts";
import { GapRunner } from "./gap-runner.ts";
import { InboxRunner } from "./inbox-runner.ts";

/** Never in a worker alone: it has neither the project's triggers nor, perhaps, the App, and would ignore what it took. */
export function startGithub(engine: Engine, dispatcher: Dispatcher): { close(): Promise<void> } {
  const { github, config, log } = engine;
  const inbox = InboxRunner.start({ ...engine, dispatcher });
  if (github === undefined) {
    log.info({}, "GitHub is not asked for anything: there is no github.appId");
    return inbox;
  }
  const checks = CheckRunner.start({ ...engine, github, dispatcher });
  // What is sent again arrives only where it is taken in.
  const isOpen = config.github.webhookSecret !== undefined;
  const gaps = isOpen ? GapRunner.start({ ...engine, github, dispatcher }) : undefined;
  return {
    close: async () => {
      await Promise.all([inbox.close(), checks.close(), gaps?.close()]);
    },
  };
}
