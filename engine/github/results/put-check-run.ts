// A check run at GitHub: made once for its place, then kept up to date; annotations are added there, so each is sent once.
import type { Database } from "../../database/open-database.ts";
import type { Annotation } from "./annotations.ts";
import { cutText } from "./cut-text.ts";
import {
  digestOf,
  type OpenResult,
  openResult,
  type ResultPlace,
  readResult,
  settleResult,
  type Writer,
} from "./result-record.ts";
import { askTarget, type Target } from "./result-target.ts";

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
  readonly external_id?: string | null;
  readonly app?: { readonly slug?: string } | null;
  readonly output?: { readonly annotations_count?: number } | null;
}

interface CheckParts {
  readonly database: Database;
  readonly target: Target;
  readonly writer: Writer;
}

const ANNOTATIONS_AT_ONCE = 50;
const TEXT_LENGTH_MAX = 65_535;
const TITLE_LENGTH_MAX = 255;
const PAGE = 100;
const PAGES_MAX = 20;

export async function putCheckRun(
  parts: CheckParts,
  place: ResultPlace,
  wish: CheckWish,
): Promise<PutCheck> {
  const { database, writer } = parts;
  const content = contentOf(wish);
  const { annotations = [], headSha, name, status } = wish;
  const digest = digestOf({ headSha, name, content, annotations });
  const known = await readResult(database.pool, place);
  if (known?.isOpen === false && known.digest === digest && known.remoteId !== undefined) {
    return { id: known.remoteId, url: known.url ?? "" };
  }
  const open = await openResult(database, writer, place);
  const run = await new CheckPut(parts, open, wish, content).put();
  const url = run.html_url ?? run.details_url ?? "";
  const sent = Math.max(annotations.length, annotationsOf(open));
  const state = { ...identityOf(wish), status, annotations: sent };
  await settleResult(database, open, { remoteId: run.id, url, digest, state });
  return { id: run.id, url };
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
  readonly #parts: CheckParts;
  readonly #open: OpenResult;
  readonly #wish: CheckWish;
  readonly #content: CheckContent;

  constructor(parts: CheckParts, open: OpenResult, wish: CheckWish, content: CheckContent) {
    this.#parts = parts;
    this.#open = open;
    this.#wish = wish;
    this.#content = content;
  }

  async put(): Promise<CheckRun> {
    const { remoteId, isOpen } = this.#open;
    const { annotations = [] } = this.#wish;
    const found = remoteId ?? (isOpen ? (await this.#find())?.id : undefined);
    if (found === undefined && annotations.length === 0) return await this.#make(this.#content);
    // Complete only with the last annotation: whoever waits for the end sees all of them.
    const id = found ?? (await this.#make({ ...this.#content, ...UNFINISHED })).id;
    const isUnsure = isOpen && found !== undefined;
    const sent = isUnsure ? await this.#countSent(id) : annotationsOf(this.#open);
    return await this.#update(id, annotations.slice(sent));
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

  /** What was sent last may have arrived. */
  async #countSent(id: number): Promise<number> {
    const route = "GET /repos/{owner}/{repo}/check-runs/{check_run_id}";
    const run = await this.#ask<CheckRun>(route, { check_run_id: id });
    return run.output?.annotations_count ?? 0;
  }

  async #find(): Promise<CheckRun | undefined> {
    const { headSha, name, externalId } = this.#wish;
    const slug = (await this.#parts.target.app.login()).replace(/\[bot\]$/, "");
    for (let page = 1; page <= PAGES_MAX; page++) {
      const { check_runs: runs } = await this.#ask<{ readonly check_runs: readonly CheckRun[] }>(
        "GET /repos/{owner}/{repo}/commits/{ref}/check-runs",
        { ref: headSha, check_name: name, filter: "all", per_page: PAGE, page },
      );
      const own = runs.find(
        (run) =>
          run.external_id === externalId &&
          run.name === name &&
          (run.app?.slug === undefined || run.app.slug === slug),
      );
      if (own !== undefined) return own;
      if (runs.length < PAGE) return undefined;
    }
    return undefined;
  }

  async #ask<T>(route: string, parameters: object): Promise<T> {
    const { target, writer } = this.#parts;
    return await askTarget<T>(target, route, parameters, writer.signal);
  }
}

const UNFINISHED = { status: "in_progress", conclusion: undefined };

function partOf(left: readonly Annotation[], nth: number): readonly Annotation[] {
  return left.slice(nth * ANNOTATIONS_AT_ONCE, (nth + 1) * ANNOTATIONS_AT_ONCE);
}
