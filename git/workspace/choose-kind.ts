// Which kind of workspace a request gets, and why.
import type { Platform } from "../platform/detect-platform.ts";
import { WorkspaceError } from "./workspace-error.ts";

export interface KindWish {
  readonly kind?: "overlay" | "clone" | undefined;
  readonly isSparse: boolean;
  /** There is no mirror yet, only the one commit. */
  readonly isShallow: boolean;
}

export interface KindChoice {
  readonly kind: "overlay" | "clone";
  readonly reason: string;
}

export function chooseKind(wish: KindWish, { overlay }: Platform): KindChoice {
  const obstacle = obstacleTo(wish, overlay);
  if (wish.kind === "overlay" && obstacle !== undefined) {
    throw new WorkspaceError("kind-unavailable", `cannot make an overlay workspace: ${obstacle}`);
  }
  if (wish.kind !== undefined) return { kind: wish.kind, reason: "asked for" };
  return obstacle === undefined
    ? { kind: "overlay", reason: "this machine can mount overlays" }
    : { kind: "clone", reason: obstacle };
}

function obstacleTo(wish: KindWish, overlay: Platform["overlay"]): string | undefined {
  if (!overlay.isPossible) return overlay.reason;
  if (wish.isSparse) return "a sparse checkout has no template";
  if (wish.isShallow) return "the mirror's first fetch is still running";
  return undefined;
}
