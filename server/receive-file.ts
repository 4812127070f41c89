// One file that comes with a request, as the body itself or in a form; never more of it in memory than a piece.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { AssetUpload } from "@croft/contract";
import { EngineError } from "@croft/engine";
import { receiveForm } from "./receive-form.ts";
import { brokenOff, type FileDetails, type ReceivedFile } from "./received-file.ts";

export async function receiveFile(
  raw: IncomingMessage,
  headers: IncomingHttpHeaders,
  query: AssetUpload,
): Promise<ReceivedFile> {
  const declaredType = headers["content-type"];
  if (declaredType !== undefined && /^\s*multipart\/form-data\b/i.test(declaredType)) {
    return await receiveForm(raw, (fields) => detailsOf({ ...fields, ...query }));
  }
  const details = detailsOf(query);
  return { bytes: wholeBody(raw), declaredType, details: () => details };
}

/** Destroyed by whoever stops reading, a request would take the answer with it. */
async function* wholeBody(raw: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* raw.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Uint8Array>;
  } catch (error) {
    throw brokenOff(error);
  }
}

function detailsOf(said: AssetUpload): FileDetails {
  const parsed = AssetUpload.safeParse(said);
  if (!parsed.success) {
    const why = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new EngineError("invalid-input", `not valid: ${why.join("; ")}`);
  }
  const { name } = parsed.data;
  if (name !== undefined) return { ...parsed.data, name };
  throw new EngineError("invalid-input", "name: the file needs one, such as ?name=report.pdf");
}
