// A real git server over HTTP on loopback: `git http-backend` behind Node, with tokens, and faults on demand.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createGunzip } from "node:zlib";
import { serveLfs } from "./serve-lfs.ts";

export interface GitServer {
  readonly host: string;
  url(repository: string): string;
  /** Tokens that may read and write; when undefined, everybody may. */
  tokens: Set<string> | undefined;
  /** What goes wrong with requests to come. */
  fault: Fault | undefined;
  /** Speaks protocol 0 only, and gives out nothing that is asked for by its id. */
  isOld: boolean;
  /** Every request so far: `GET /x.git/info/refs?service=git-upload-pack`, with the token it carried. */
  readonly requests: readonly { readonly line: string; readonly token: string | undefined }[];
  /** Breaks off whatever is being sent at this moment. */
  cutAll(): void;
}

export type Fault = FaultKind & {
  /** Lets so many requests pass first: of a fetch the third is the one that brings the objects. */
  readonly after?: number;
};

type FaultKind =
  /** Answers with this status. */
  | { readonly kind: "status"; readonly status: number }
  /** Answers when the gate is opened: a transfer as slow as the test wants it. */
  | { readonly kind: "gate"; readonly opened: Promise<unknown> }
  /** Takes the request and says nothing at all. */
  | { readonly kind: "silence" }
  /** Sends the head and then nothing. */
  | { readonly kind: "stall" }
  /** Breaks the connection after so many bytes of the body. */
  | { readonly kind: "cut"; readonly afterBytes: number }
  /** Sends so many bytes a second. */
  | { readonly kind: "throttle"; readonly bytesPerSecond: number }
  | { readonly kind: "redirect"; readonly to: string };

export interface ServedGit extends GitServer {
  close(): Promise<void>;
}

/** What a server shows for itself, in PEM. */
export interface ServerIdentity {
  readonly key: string;
  readonly cert: string;
}

/** `root` holds bare repositories. Whoever starts it must close it; in a test, `startGitServer` does. */
export async function serveGit(root: string, identity?: ServerIdentity): Promise<ServedGit> {
  const requests: { line: string; token: string | undefined }[] = [];
  const state: Pick<GitServer, "tokens" | "fault" | "isOld"> = {
    tokens: undefined,
    fault: undefined,
    isOld: false,
  };
  const counted: { fault: Fault | undefined; requests: number } = { fault: undefined, requests: 0 };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const token = tokenOf(request);
    requests.push({ line: `${request.method} ${request.url}`, token });
    if (state.tokens !== undefined && (token === undefined || !state.tokens.has(token))) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    if (state.fault !== counted.fault) Object.assign(counted, { fault: state.fault, requests: 0 });
    const isDue = counted.requests++ >= (state.fault?.after ?? 0);
    serve(request, response, { root, isOld: state.isOld, fault: isDue ? state.fault : undefined });
  };
  const server =
    identity === undefined ? createServer(listener) : createTlsServer(identity, listener);
  const protocol = identity === undefined ? "http" : "https";
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    host,
    url: (repository: string) => `${protocol}://${host}/${repository}.git`,
    requests,
    cutAll: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const encoded = /^Basic (.+)$/.exec(headers.authorization ?? "")?.[1];
  return encoded === undefined
    ? undefined
    : Buffer.from(encoded, "base64").toString("utf8").split(":")[1];
}

interface Serving {
  readonly root: string;
  readonly isOld: boolean;
  readonly fault: Fault | undefined;
}

/** One request for a repository below `root`, by whoever may. */
export function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): void {
  const { fault } = serving;
  switch (fault?.kind) {
    case "status":
      response.writeHead(fault.status).end();
      return;
    case "redirect":
      response.writeHead(302, { location: `${fault.to}${request.url}` }).end();
      return;
    case "gate":
      void fault.opened.then(() => runBackend(request, response, serving));
      return;
    case "silence":
      return;
    case "stall":
      stall(request, response);
      return;
    default:
      if (!serveLfs(request, response, serving.root)) runBackend(request, response, serving);
  }
}

function stall({ method }: IncomingMessage, response: ServerResponse): void {
  const what = method === "GET" ? "advertisement" : "result";
  response.writeHead(200, { "content-type": `application/x-git-upload-pack-${what}` });
  if (method === "GET") response.write("001e# service=git-upload-pack\n");
  else response.flushHeaders();
}

function runBackend(
  request: IncomingMessage,
  response: ServerResponse,
  { root, isOld, fault }: Serving,
): void {
  const url = new URL(request.url ?? "/", "http://git");
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "3",
      GIT_CONFIG_KEY_0: "http.receivepack",
      GIT_CONFIG_VALUE_0: "true",
      GIT_CONFIG_KEY_1: "uploadpack.allowAnySHA1InWant",
      GIT_CONFIG_VALUE_1: String(!isOld),
      GIT_CONFIG_KEY_2: "safe.directory",
      GIT_CONFIG_VALUE_2: "*",
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      GIT_PROTOCOL: isOld ? "" : String(request.headers["git-protocol"] ?? ""),
      REMOTE_USER: "test",
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  backend.stdin.on("error", () => {});
  response.on("close", () => backend.kill());
  const body =
    request.headers["content-encoding"] === "gzip" ? request.pipe(createGunzip()) : request;
  body.pipe(backend.stdin);
  void relay(backend.stdout, response, fault);
}

/** CGI: header lines, an empty line, the body. */
async function relay(
  output: AsyncIterable<Buffer>,
  response: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  let head = Buffer.alloc(0);
  let isBody = false;
  let sentBytes = 0;
  for await (const chunk of output) {
    let piece = chunk;
    if (!isBody) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end === -1) continue;
      writeHead(response, head.subarray(0, end).toString("utf8"));
      piece = head.subarray(end + 4);
      isBody = true;
    }
    if (fault?.kind === "cut" && sentBytes + piece.length > fault.afterBytes) {
      response.write(piece.subarray(0, Math.max(0, fault.afterBytes - sentBytes)));
      response.destroy();
      return;
    }
    sentBytes += piece.length;
    await send(response, piece, fault?.kind === "throttle" ? fault.bytesPerSecond : undefined);
  }
  if (!isBody) response.writeHead(500);
  response.end();
}

function writeHead(response: ServerResponse, head: string): void {
  const headers: Record<string, string> = {};
  for (const line of head.split("\r\n")) {
    const at = line.indexOf(":");
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim();
  }
  const { status, ...rest } = headers;
  response.writeHead(Number.parseInt(status ?? "200", 10), rest);
}

/** Or gone. */
async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  } finally {
    waiting.abort(); // else each large answer leaves its listeners
  }
}

const SLICES_PER_SECOND = 10;

async function send(response: ServerResponse, piece: Buffer, bytesPerSecond: number | undefined) {
  if (bytesPerSecond === undefined) {
    if (!response.write(piece)) await drained(response);
    return;
  }
  const slice = Math.max(1, Math.floor(bytesPerSecond / SLICES_PER_SECOND));
  for (let at = 0; at < piece.length && !response.destroyed; at += slice) {
    response.write(piece.subarray(at, at + slice));
    await new Promise((resolve) => setTimeout(resolve, 1000 / SLICES_PER_SECOND));
  }
}
