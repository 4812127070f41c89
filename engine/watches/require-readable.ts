// A remote is asked before a watch of it is written: what its credential does not open is refused, not found out later.
import { readTips } from "@croft/git";
import { EngineError } from "../engine-error.ts";
import { accessOf, remoteOf, type WatchParts } from "./watch-access.ts";
import { faultOf, type WatchFault } from "./watch-health.ts";
import type { WatchRow } from "./watch-rows.ts";

export type WantedWatch = Pick<WatchRow, "app_id" | "credential_id" | "url" | "ref">;

const ASK_TIMEOUT_MS = 20_000;

/** With the watch's own credential. */
export async function requireReadable(parts: WatchParts, wanted: WantedWatch): Promise<void> {
  try {
    const { access } = await accessOf(parts, wanted);
    const remote = remoteOf(parts, wanted.url);
    const tips = await readTips(remote, [wanted.ref], { ...access, timeoutMs: ASK_TIMEOUT_MS });
    if (tips.has(wanted.ref)) return;
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    throw refusalOf(fault);
  }
  const what = wanted.ref === "" ? "has no commits yet" : `has no branch or tag '${wanted.ref}'`;
  throw new EngineError("invalid-input", `not valid: ref: the repository ${what}`);
}

/** Nothing is wrong with what was asked for: the remote or this machine is not up to it now. */
const ELSEWHERE = [
  ...["remote-unreachable", "resolver-silent", "git-not-started"],
  ...["git-locked", "git-corrupt", "git-disk-full", "git-not-writable"],
];

function refusalOf({ code, message }: WatchFault): EngineError {
  if (ELSEWHERE.includes(code)) {
    const reason = `the repository was not reached, so nothing was changed: ${message}`;
    return new EngineError("unavailable", reason);
  }
  const problem = code === "private-address" ? "unsafe-address" : "invalid-input";
  return new EngineError(problem, `not valid: ${message}`);
}
