// A check run at GitHub: made once for its place, then kept up to date; annotations are added there, so each is sent once.
import type { Annotation } from "./annotations.ts";
import { cutText } from "./cut-text.ts";
import { digestOf, type OpenResult, type ResultPlace, readResult } from "./result-record.ts";
import { askTarget } from "./result-target.ts";
import { type ResultParts, writeResult } from "./write-result.ts";

export const CONCLUSIONS = [
  ...(["success", "failure", "cancelled", "neutral", "action_required"] as const),
] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];

export interface CheckWish {
  readonly headSha: string;
  readonly name: string;
  /** Together with the name it is how one is found again. */
  readonly externalId: string;
  readonly detailsUrl?: string | undefined;
  readonly status: "queued" | "in_progress" | "completed";
  /** Of one that is completed. */
  readonly conclusion?: Conclusion | undefined;
  readonly title: string;
  readonly summary: string;
  readonly text?: string | undefined;
  readonly annotations?: readonly Annotation[] | undefined;
}

export interface PutCheck {
  readonly id: number;
  readonly url: string;
}

interface CheckRun {
  readonly id: number;
  readonly html_url?: string | null;
  readonly details_url?: string | null;
  readonly name: string;
  readonly status?: string;
  readonly external_id?: string | null;
  readonly app?: { readonly slug?: string } | null;
  readonly output?: { readonly annotations_count?: number } | null;
}

const ANNOTATIONS_AT_ONCE = 50;
const TEXT_LENGTH_MAX = 65_535;
const TITLE_LENGTH_MAX = 255;
const PAGE = 100;
const PAGES_MAX = 20;

export async function putCheckRun(
  parts: ResultParts,
  place: ResultPlace,
  wish: CheckWish,
): Promise<PutCheck> {
  const check = await writeCheck(parts, place, wish, (put) => put.put());
  if (check === undefined) throw new Error("a check run was put and is not there");
  return check;
}

/** The same of one that is there; undefined when there is none: then none is made. */
export async function changeCheckRun(
  parts: ResultParts,
  place: ResultPlace,
  wish: CheckWish,
): Promise<PutCheck | undefined> {
  return await writeCheck(parts, place, wish, (put) => put.change());
}

async function writeCheck(
  parts: ResultParts,
  place: ResultPlace,
  wish: CheckWish,
  write: (put: CheckPut) => Promise<CheckRun | undefined>,
): Promise<PutCheck | undefined> {
  const content = contentOf(wish);
  const { annotations = [], headSha, name, status } = wish;
  const digest = digestOf({ headSha, name, content, annotations });
  const known = await readResult(parts.database.pool, place);
  if (known?.isOpen === false && known.digest === digest && known.remoteId !== undefined) {
    return { id: known.remoteId, url: known.url ?? "" };
  }
  const isOfRun = "runId" in place.of; // it is told again by who tells of runs
  return await writeResult(parts, place, {
    identity: identityOf(wish),
    kept: isOfRun ? undefined : { ...wish, annotations: undefined }, // those are not taken away
    send: async (open) => {
      const run = await write(new CheckPut(parts, open, wish, content));
      const url = run?.html_url ?? run?.details_url ?? "";
      const sent = Math.max(annotations.length, annotationsOf(open));
      const state = { ...identityOf(wish), status, annotations: sent };
      const value = run === undefined ? undefined : { id: run.id, url };
      return { settled: { remoteId: run?.id, url, digest, state }, value };
    },
    restore: (restoring, kept: CheckWish) => changeCheckRun(restoring, place, kept),
  });
}

/** Which one it is, to be asked about again by whoever has only the record. */
function identityOf({ headSha, name, externalId }: CheckWish) {
  return { headSha, name, externalId };
}

function annotationsOf({ state }: OpenResult): number {
  return typeof state["annotations"] === "number" ? state["annotations"] : 0;
}

type CheckContent = ReturnType<typeof contentOf>;

function contentOf({ status, conclusion, title, summary, text, detailsUrl }: CheckWish) {
  return {
    status,
    ...(status === "completed" ? { conclusion: conclusion ?? "neutral" } : {}),
    ...(detailsUrl === undefined ? {} : { details_url: detailsUrl }),
    output: {
      title: title.replaceAll(/\s+/g, " ").trim().slice(0, TITLE_LENGTH_MAX) || "…",
      summary: cutText(summary, TEXT_LENGTH_MAX),
      ...(text === undefined ? {} : { text: cutText(text, TEXT_LENGTH_MAX) }),
    },
  };
}

class CheckPut {
  readonly #parts: ResultParts;
  readonly #open: OpenResult;
  readonly #wish: CheckWish;
  readonly #content: CheckContent;

  constructor(parts: ResultParts, open: OpenResult, wish: CheckWish, content: CheckContent) {
    this.#parts = parts;
    this.#open = open;
    this.#wish = wish;
    this.#content = content;
  }

  async put(): Promise<CheckRun> {
    const changed = await this.change();
    if (changed !== undefined) return changed;
    const { annotations = [] } = this.#wish;
    if (annotations.length === 0) return await this.#make(this.#content);
    // Complete only with the last annotation: whoever waits for the end sees all of them.
    const { id } = await this.#make({ ...this.#content, ...UNFINISHED });
    return await this.#update(id, annotations);
  }

  /** Undefined: there is none. */
  async change(): Promise<CheckRun | undefined> {
    const { annotations = [] } = this.#wish;
    const known = await this.#findKnown();
    return known === undefined
      ? undefined
      : await this.#update(known.id, annotations.slice(known.sent));
  }

  /** With how many annotations it has. Of several, which a request that came late has made, GitHub counts the newest. */
  async #findKnown(): Promise<{ readonly id: number; readonly sent: number } | undefined> {
    const { remoteId: id, isOpen } = this.#open;
    if (!isOpen) return id === undefined ? undefined : { id, sent: annotationsOf(this.#open) };
    const [newest, ...others] = await this.#find();
    for (const other of others) if (other.status !== "completed") await this.#drop(other.id);
    if (newest !== undefined) return { id: newest.id, sent: countOf(newest) };
    return id === undefined ? undefined : { id, sent: countOf(await this.#show(id)) };
  }

  async #drop(id: number): Promise<void> {
    const output = { title: "Another took its place", summary: "It was made twice." };
    await this.#change(id, { status: "completed", conclusion: "neutral", output });
  }

  async #update(id: number, left: readonly Annotation[]): Promise<CheckRun> {
    const { output } = this.#content;
    const lastAt = Math.max(0, Math.ceil(left.length / ANNOTATIONS_AT_ONCE) - 1);
    for (let nth = 0; nth < lastAt; nth++) {
      await this.#change(id, { output: { ...output, annotations: partOf(left, nth) } });
    }
    const annotations = partOf(left, lastAt);
    const last = annotations.length === 0 ? output : { ...output, annotations };
    return await this.#change(id, { ...this.#content, output: last });
  }

  async #make(content: object): Promise<CheckRun> {
    const { headSha, name, externalId } = this.#wish;
    return await this.#ask<CheckRun>("POST /repos/{owner}/{repo}/check-runs", {
      ...{ name, head_sha: headSha, external_id: externalId },
      ...content,
    });
  }

  async #change(id: number, content: object): Promise<CheckRun> {
    const route = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}";
    return await this.#ask<CheckRun>(route, { check_run_id: id, ...content });
  }

  async #show(id: number): Promise<CheckRun> {
    const route = "GET /repos/{owner}/{repo}/check-runs/{check_run_id}";
    return await this.#ask<CheckRun>(route, { check_run_id: id });
  }

  /** What others may have made before they fell, the newest first. */
  async #find(): Promise<readonly CheckRun[]> {
    const { headSha, name, externalId } = this.#wish;
    const slug = (await this.#parts.target.app.login()).replace(/\[bot\]$/, "");
    const found: CheckRun[] = [];
    for (let page = 1; page <= PAGES_MAX; page++) {
      const { check_runs: runs } = await this.#ask<{ readonly check_runs: readonly CheckRun[] }>(
        "GET /repos/{owner}/{repo}/commits/{ref}/check-runs",
        { ref: headSha, check_name: name, filter: "all", per_page: PAGE, page },
      );
      for (const run of runs) {
        const isOwn = run.app?.slug === undefined || run.app.slug === slug;
        if (isOwn && run.external_id === externalId && run.name === name) found.push(run);
      }
      if (runs.length < PAGE) break;
    }
    return found.sort((a, b) => b.id - a.id);
  }

  async #ask<T>(route: string, parameters: object): Promise<T> {
    const { target, writer } = this.#parts;
    return await askTarget<T>(target, route, parameters, writer.signal);
  }
}

function countOf({ output }: CheckRun): number {
  return output?.annotations_count ?? 0;
}

const UNFINISHED = { status: "in_progress", conclusion: undefined };

function partOf(left: readonly Annotation[], nth: number): readonly Annotation[] {
  return left.slice(nth * ANNOTATIONS_AT_ONCE, (nth + 1) * ANNOTATIONS_AT_ONCE);
}
