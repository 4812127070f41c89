// Whether a credential will soon stop to work, or has.
import type { Credential } from "@croft/contract";

/** As the server warns of it. */
const soonMs = 7 * 86_400_000;

export function expiryOf(
  { expires_at }: Pick<Credential, "expires_at">,
  now: Date,
): "none" | "later" | "soon" | "over" {
  if (expires_at === null) return "none";
  const leftMs = Date.parse(expires_at) - now.getTime();
  if (leftMs <= 0) return "over";
  return leftMs < soonMs ? "soon" : "later";
}
