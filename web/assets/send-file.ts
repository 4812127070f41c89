// Sends a file to the API and tells how far it is, which `fetch` cannot.
import type { Asset, Problem } from "@croft/contract";
import { foreignAnswer, ProblemError, unreachable } from "../problem-error.ts";

export interface SendOptions {
  csrfToken: string | undefined;
  /** Between 0 and 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

export function sendFile(file: File, { csrfToken, onProgress, signal }: SendOptions) {
  return new Promise<Asset>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/assets?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("content-type", file.type || "application/octet-stream");
    if (csrfToken !== undefined) request.setRequestHeader("x-csrf-token", csrfToken);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as Asset);
      else reject(problemIn(request));
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

function problemIn(request: XMLHttpRequest): ProblemError {
  const type = request.getResponseHeader("content-type") ?? "";
  if (type.startsWith("application/problem+json")) {
    return new ProblemError(JSON.parse(request.responseText) as Problem);
  }
  return foreignAnswer(request.status);
}
