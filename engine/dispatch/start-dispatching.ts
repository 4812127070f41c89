// All that a process does beside jobs: it polls, syncs, sends, handles events, and clears away what its host has for nobody.

import { DeliveryRunner } from "../deliveries/delivery-runner.ts";
import type { Contents } from "../deliveries/message-body.ts";
import type { ClaimedDelivery } from "../deliveries/settle-deliveries.ts";
import type { Engine } from "../engine.ts";
import { startGithub } from "../github/start-github.ts";
import { UnusedMirrors } from "../janitor/unused-mirrors.ts";
import { openSigningSecrets } from "../secrets/signing-secret-store.ts";
import { PollRunner } from "../watches/poll-runner.ts";
import { ReadChecks } from "../watches/read-checks.ts";
import { remoteOf } from "../watches/watch-access.ts";
import { Dispatcher } from "./dispatcher.ts";
import { recoverContent } from "./recover-content.ts";

export interface Dispatching {
  /** What is on its way gets its answer, for so long. */
  close(graceMs: number): Promise<void>;
}

export async function startDispatching(engine: Engine): Promise<Dispatching> {
  const dispatcher = await Dispatcher.start(engine);
  const polls = PollRunner.start({ ...engine, dispatcher });
  const checks = new ReadChecks(engine);
  const deliveries = DeliveryRunner.start({
    ...{ ...engine, dispatcher },
    secrets: (appId) => openSigningSecrets(engine.vault, appId),
    mayRead: (watchId, signal) => checks.mayRead(watchId, signal),
    contentsOf: (delivery) => contentsOf(engine, delivery),
    recover: (delivery, signal) => recoverContent({ ...engine, dispatcher, signal }, delivery),
  });
  const events = engine.role === "server" ? startGithub(engine, dispatcher) : undefined;
  const mirrors = UnusedMirrors.start(engine);
  return {
    close: async (graceMs) => {
      const runners = [polls.close(), deliveries.close(graceMs), mirrors.close()];
      await Promise.all([...runners, events?.close()]);
      await dispatcher.close();
    },
  };
}

async function contentsOf(engine: Engine, { watch }: ClaimedDelivery): Promise<Contents> {
  if (watch === null) throw new Error("only a watch has files");
  const git = await engine.git();
  const remote = remoteOf(engine, watch.url);
  return {
    read: (blob) => git.contents.readBlob(remote, blob),
    stream: (blob) => git.contents.streamBlob(remote, blob),
  };
}
