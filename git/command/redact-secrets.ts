// Removes known secret values, and whatever else looks like one, from text that leaves git.
import { redactText } from "./redact-text.ts";

export function redactSecrets(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const form of secrets.flatMap(formsOf)) redacted = redacted.replaceAll(form, "[redacted]");
  return redactText(redacted);
}

/** A token may come back as it is, encoded for a URL, or in the base64 of a basic authorization. */
function formsOf(secret: string): string[] {
  if (secret === "") return [];
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")];
}
