// A comment on an issue or pull request: made once, then edited, however often it is asked for and whatever dies in between.
import type { Database } from "../../database/open-database.ts";
import { cutText } from "./cut-text.ts";
import { isGone } from "./github-failure.ts";
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

interface CommentParts {
  readonly database: Database;
  readonly target: Target;
  readonly writer: Writer;
}

export async function putComment(
  parts: CommentParts,
  place: ResultPlace,
  { number, body: wished }: CommentWish,
): Promise<PutComment> {
  const { database, writer } = parts;
  const body = bodyOf(wished);
  const digest = digestOf({ number, body });
  const known = await readResult(database.pool, place);
  if (known?.isOpen === false && known.digest === digest && known.remoteId !== undefined) {
    return { id: known.remoteId, url: known.url ?? "" };
  }
  const open = await openResult(database, writer, place);
  const put = new CommentPut(parts, open, number, body);
  const comment = await put.put();
  const settled = { number, remoteId: comment.id, url: comment.html_url, digest };
  if (!(await settleResult(database, open, settled))) await put.takeBack(place, comment);
  return { id: comment.id, url: comment.html_url };
}

class CommentPut {
  readonly #parts: CommentParts;
  readonly #open: OpenResult;
  readonly #number: number;
  readonly #body: string;
  #isMade = false;

  constructor(parts: CommentParts, open: OpenResult, number: number, body: string) {
    this.#parts = parts;
    this.#open = open;
    this.#number = number;
    this.#body = `${body}\n\n${markerOf(open.id)}`;
  }

  async put(): Promise<Comment> {
    const { remoteId, number, isOpen } = this.#open;
    const isElsewhere = number !== undefined && number !== this.#number;
    const known = isElsewhere ? undefined : remoteId;
    const found = known ?? (isOpen ? await this.#find() : undefined);
    const edited = found === undefined ? undefined : await this.#edit(found);
    if (edited !== undefined) return edited;
    const parameters = { issue_number: this.#number, body: this.#body };
    const made = await this.#ask<Comment>(
      "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
      parameters,
    );
    this.#isMade = true;
    return made;
  }

  /** A later attempt has one of its own: this process was taken for dead while it asked. */
  async takeBack(place: ResultPlace, { id }: Comment): Promise<void> {
    if (!this.#isMade) return;
    const now = await readResult(this.#parts.database.pool, place);
    if (now?.remoteId === undefined || now.remoteId === id) return;
    await this.#ask("DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", {
      comment_id: id,
    });
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

  /** What the last one may have made before it fell: only the App's own, by the marker at its end. */
  async #find(): Promise<number | undefined> {
    const { app } = this.#parts.target;
    const login = await app.login();
    const marker = markerOf(this.#open.id);
    const since = new Date(this.#open.createdAt.getTime() - CLOCKS_MS).toISOString();
    for (let page = 1; page <= PAGES_MAX; page++) {
      const comments = await this.#ask<readonly Comment[]>(
        "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
        { issue_number: this.#number, since, per_page: PAGE, page },
      );
      const own = comments.find(
        ({ body, user }) => user?.login === login && body?.trimEnd().endsWith(marker) === true,
      );
      if (own !== undefined) return own.id;
      if (comments.length < PAGE) return undefined;
    }
    return undefined;
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
