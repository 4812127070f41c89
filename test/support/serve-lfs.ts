// The part of a Git LFS server that gives out files: they lie in `lfs/` of the bare repository, named by their hash.
import { createReadStream } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";

interface Batch {
  readonly objects: readonly { readonly oid: string; readonly size: number }[];
}

/** False when the request is not about large files. */
export function serveLfs(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
): boolean {
  const { pathname } = new URL(request.url ?? "/", "http://git");
  const [, repository, rest] = /^\/([^/]+\.git)\/(?:info\/)?lfs\/(.+)$/.exec(pathname) ?? [];
  if (repository === undefined || rest === undefined) return false;
  if (/^[0-9a-f]{64}$/.test(rest)) {
    createReadStream(join(root, repository, "lfs", rest)).pipe(response);
    return true;
  }
  const base = `http://${request.headers.host}/${repository}/lfs`;
  void json(request).then((batch) => {
    const objects = (batch as Batch).objects.map(({ oid, size }) => {
      return { oid, size, actions: { download: { href: `${base}/${oid}` } } };
    });
    response.writeHead(200, { "content-type": "application/vnd.git-lfs+json" });
    response.end(JSON.stringify({ transfer: "basic", objects }));
  });
  return true;
}
