// Waits for a thing to happen, with a ceiling.
import { setTimeout as delay } from "node:timers/promises";

const LOOK_EVERY_MS = 20;

/** Resolves with the first value that is neither false nor undefined. */
export async function waitUntil<T>(
  what: string,
  look: () => Promise<T | false | undefined> | T | false | undefined,
  ceilingMs = 30_000,
): Promise<T> {
  const giveUpAt = Date.now() + ceilingMs;
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== undefined) return seen;
    if (Date.now() > giveUpAt) throw new Error(`waited ${ceilingMs} ms in vain for ${what}`);
    await delay(LOOK_EVERY_MS);
  }
}
