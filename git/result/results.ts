// What owners' jobs have made, apart from any workspace: bundles, refs of runs, integration, publication.
import { existsSync } from "node:fs";
import type { CommitId } from "../remote/commit-id.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import { type Collection, collectResults, type WantedRuns } from "./collect-results.ts";
import { integrateResults, type ResultIntegration } from "./integrate-results.ts";
import type { Integration } from "./merge-in-order.ts";
import {
  type BundleImport,
  type ExportedBundle,
  exportBundle,
  importBundle,
} from "./move-result.ts";
import type { Published } from "./publish.ts";
import { type PublishPlan, publishResult } from "./publish-result.ts";
import { type BaseRequest, type ResultParts, reachBase } from "./reach-base.ts";
import { type ResultChange, readChanges } from "./read-changes.ts";
import { ResultRepository } from "./result-repository.ts";
import { type RunRef, readRefsOf, removeRefsOf } from "./run-refs.ts";

/** One owner's results of one repository: nobody else's are ever read. */
export interface ResultHolder {
  readonly owner: string;
  readonly repository: RemoteUrl;
}

export type IntegrationRequest = ResultHolder & ResultIntegration;
export type PublishResultRequest = ResultHolder & PublishPlan;
export type ImportRequest = BaseRequest & BundleImport;
export type ExportRequest = ResultHolder & Parameters<typeof exportBundle>[2];

export class Results {
  readonly #parts: ResultParts;

  constructor(parts: ResultParts) {
    this.#parts = parts;
  }

  /** Merges in order; what conflicts is left out and told, and the outcome is recorded under `ref`. */
  async integrate(request: IntegrationRequest): Promise<Integration> {
    return await integrateResults(this.#parts.directories, this.#of(request), request);
  }

  /** Pushes a recorded commit, and believes only what the remote then says. */
  async publish(request: PublishResultRequest): Promise<Published> {
    return await publishResult(this.#parts, this.#of(request), request);
  }

  /** The bundle is there while it is used. `base` is a commit of the remote, whole results or not. */
  async exportBundle<T>(
    request: ExportRequest,
    use: (bundle: ExportedBundle) => Promise<T>,
  ): Promise<T> {
    return await exportBundle(this.#parts.directories, this.#of(request), request, use);
  }

  /** Into the results of this host, as if one of the owner's jobs had made it here. */
  async importBundle(request: ImportRequest): Promise<void> {
    const { results } = await reachBase(this.#parts, request);
    await importBundle(this.#parts.directories, results, request);
  }

  /** What a recorded commit changed since another, as the results tell it, not the job that made it. */
  async changes(
    request: ResultHolder & { readonly from: CommitId; readonly to: CommitId },
  ): Promise<ResultChange[]> {
    const results = this.#of(request);
    await results.requireRecorded(request.to, request.from);
    return await readChanges({ gitDir: results.gitDir }, request);
  }

  async readRunRefs(holder: ResultHolder, run: string): Promise<RunRef[]> {
    const { gitDir } = this.#of(holder);
    return existsSync(gitDir) ? await readRefsOf(run, { gitDir }) : [];
  }

  /** Returns how many there were. */
  async removeRunRefs(holder: ResultHolder, run: string): Promise<number> {
    const results = this.#of(holder);
    const { gitDir } = results;
    if ((await this.readRunRefs(holder, run)).length === 0) return 0;
    return await results.hold("forget a run", (descriptor) =>
      removeRefsOf(run, { gitDir, lockDescriptors: [descriptor] }),
    );
  }

  /** Forgets all runs but the wanted ones, of every owner, and gives their disk back. */
  async collect(wanted: WantedRuns, signal?: AbortSignal): Promise<Collection> {
    return await collectResults(this.#parts, wanted, signal);
  }

  #of({ owner, repository }: ResultHolder): ResultRepository {
    const mirror = { gitDir: this.#parts.mirrors.pathOf(repository), remote: repository };
    return new ResultRepository(this.#parts, owner, mirror);
  }
}
