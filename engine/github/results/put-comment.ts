// A comment on an issue or pull request: made once, then edited, however often it is asked for and whatever dies in between.
import { cutText } from "./cut-text.ts";
import { isGone } from "./github-failure.ts";
import { digestOf, type OpenResult, type ResultPlace, readResult } from "./result-record.ts";
import { askTarget } from "./result-target.ts";
import { type ResultParts, writeResult } from "./write-result.ts";

export interface CommentWish {
  /** Of the issue or pull request. */
  readonly number: number;
  readonly body: string;
}

export interface PutComment {
  readonly id: number;
  readonly url: string;
}

interface Comment {
  readonly id: number;
  readonly html_url: string;
  readonly body?: string | null;
  readonly user?: { readonly login: string } | null;
}

/** GitHub takes 65,536 characters; the marker stands behind it. */
const BODY_LENGTH_MAX = 65_000;
const PAGE = 100;
const PAGES_MAX = 100;
/** By how much its clock may differ from the database's. */
const CLOCKS_MS = 86_400_000;

export async function putComment(
  parts: ResultParts,
  place: ResultPlace,
  { number, body: wished }: CommentWish,
): Promise<PutComment> {
  const body = bodyOf(wished);
  const digest = digestOf({ number, body });
  const known = await readResult(parts.database.pool, place);
  if (known?.isOpen === false && known.digest === digest && known.remoteId !== undefined) {
    return { id: known.remoteId, url: known.url ?? "" };
  }
  return await writeResult(parts, place, {
    kept: { number, body },
    send: async (open) => {
      const { id, html_url: url } = await new CommentPut(parts, open, number, body).put();
      return { settled: { number, remoteId: id, url, digest }, value: { id, url } };
    },
    restore: (restoring, kept) => putComment(restoring, place, kept),
  });
}

class CommentPut {
  readonly #parts: ResultParts;
  readonly #open: OpenResult;
  readonly #number: number;
  readonly #body: string;

  constructor(parts: ResultParts, open: OpenResult, number: number, body: string) {
    this.#parts = parts;
    this.#open = open;
    this.#number = number;
    this.#body = `${body}\n\n${markerOf(open.id)}`;
  }

  async put(): Promise<Comment> {
    const { remoteId, number, isOpen } = this.#open;
    const isElsewhere = number !== undefined && number !== this.#number;
    const known = isElsewhere ? undefined : remoteId;
    const found = isOpen ? await this.#findOne(known) : known;
    const edited = found === undefined ? undefined : await this.#edit(found);
    if (edited !== undefined) return edited;
    return await this.#ask<Comment>("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
      ...{ issue_number: this.#number, body: this.#body },
    });
  }

  /** Of two attempts that each took the other for dead, or for not begun, both may have made one: only one stays. */
  async #findOne(known: number | undefined): Promise<number | undefined> {
    const found = await this.#find();
    const kept = known !== undefined && found.includes(known) ? known : found[0];
    for (const id of found) if (id !== kept) await this.#remove(id);
    return kept ?? known;
  }

  async #remove(id: number): Promise<void> {
    const route = "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}";
    try {
      await this.#ask(route, { comment_id: id });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Undefined: somebody has deleted it. */
  async #edit(id: number): Promise<Comment | undefined> {
    const parameters = { comment_id: id, body: this.#body };
    try {
      return await this.#ask<Comment>(
        "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}",
        parameters,
      );
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  /** What others may have made before they fell, the oldest first: only the App's own, by the marker at its end. */
  async #find(): Promise<readonly number[]> {
    const { app } = this.#parts.target;
    const login = await app.login();
    const marker = markerOf(this.#open.id);
    const since = new Date(this.#open.createdAt.getTime() - CLOCKS_MS).toISOString();
    const found: number[] = [];
    for (let page = 1; page <= PAGES_MAX; page++) {
      const comments = await this.#ask<readonly Comment[]>(
        "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
        { issue_number: this.#number, since, per_page: PAGE, page },
      );
      for (const { id, body, user } of comments) {
        if (user?.login === login && body?.trimEnd().endsWith(marker) === true) found.push(id);
      }
      if (comments.length < PAGE) break;
    }
    return found;
  }

  async #ask<T>(route: string, parameters: object): Promise<T> {
    const { target, writer } = this.#parts;
    return await askTarget<T>(target, route, parameters, writer.signal);
  }
}

function markerOf(id: string): string {
  return `<!-- croft:${id} -->`;
}

/** What others wrote may be part of it: a marker of theirs is none. */
function bodyOf(wished: string): string {
  return cutText(wished.replaceAll(/<!--(\s*)croft:/gi, "<!--$1croft-"), BODY_LENGTH_MAX);
}
