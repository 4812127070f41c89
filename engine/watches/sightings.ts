// What a remote shows to each credential of its watches: asked once for all who have the same one, also when it refuses.
import { type RemoteUrl, readTips, type Tip } from "@croft/git";
import type { ReadyWatch } from "./poll-repository.ts";

type Tips = ReadonlyMap<string, Tip>;

/** For longer nobody relies on it: what was open may be closed by now. */
const FRESH_MS = 30_000;
/** A remote that is silent for longer is asked again later. */
const ASK_TIMEOUT_MS = 20_000;

export class Sightings {
  readonly #remote: RemoteUrl;
  readonly #watches: readonly ReadyWatch[];
  readonly #signal: AbortSignal;
  readonly #seen = new Map<
    string | undefined,
    { readonly atMs: number; readonly tips: Promise<Tips> }
  >();

  constructor(remote: RemoteUrl, watches: readonly ReadyWatch[], signal: AbortSignal) {
    this.#remote = remote;
    this.#watches = watches;
    this.#signal = signal;
  }

  /** Where all refs stand that anybody watches, as far as this one sees them. */
  async all(ready: ReadyWatch): Promise<Tips> {
    return await this.#by(ready, this.#watches);
  }

  /** Where those stand that are watched by the same credential. */
  async own(ready: ReadyWatch): Promise<Tips> {
    const isOwn = ({ credentialId }: ReadyWatch) => credentialId === ready.credentialId;
    return await this.#by(ready, this.#watches.filter(isOwn));
  }

  async #by({ access, credentialId }: ReadyWatch, concerned: readonly ReadyWatch[]): Promise<Tips> {
    const seen = this.#seen.get(credentialId);
    if (seen !== undefined && performance.now() - seen.atMs < FRESH_MS) return await seen.tips;
    const names = [...new Set(concerned.map(({ watch }) => watch.ref))];
    const asking = { ...access, signal: this.#signal, timeoutMs: ASK_TIMEOUT_MS };
    const tips = readTips(this.#remote, names, asking);
    tips.catch(() => {}); // whoever waits for it hears of it
    this.#seen.set(credentialId, { atMs: performance.now(), tips });
    return await tips;
  }
}
