// Deliveries in words: one a line, and one with its files and tries.
import type { Delivery, DeliveryDetails } from "@croft/contract";
import { rowsOf } from "./describe-app.ts";
import { ageOf } from "./job-table.ts";
import { plainTable } from "./plain-table.ts";
import { plainText } from "./terminal-text.ts";

const HEADINGS = ["ID", "STATE", "TYPE", "TRIES", "AGE", "APP", "ABOUT", ""] as const;

/** With tabs: id, state, type, tries, when it was made, app, what it is about, and what there is to say. */
export function deliveryTable(
  deliveries: readonly Delivery[],
  isTTY: boolean = process.stdout.isTTY === true,
  now = Date.now(),
): string {
  const rows = deliveries.map((delivery) => [
    ...[delivery.id, delivery.state, delivery.type, String(delivery.attempt)],
    isTTY ? ageOf(delivery.created_at, now) : delivery.created_at,
    ...[delivery.app, aboutOf(delivery), delivery.error?.message ?? ""],
  ]);
  return plainTable(HEADINGS, rows, { isTTY });
}

export function describeDelivery(delivery: DeliveryDetails): string {
  const { error, attempts, paths } = delivery;
  const facts = rowsOf([
    ["id", delivery.id],
    ["type", delivery.type],
    ["state", delivery.waits ? `${delivery.state}, waits for an earlier one` : delivery.state],
    ["error", error === null ? "" : `${error.message} (${error.code})`],
    ["app", delivery.app],
    ["watch", delivery.watch ?? ""],
    ["url", delivery.url ?? ""],
    ["commit", delivery.commit ?? ""],
    ["replay of", delivery.replay_of ?? ""],
    ["created", delivery.created_at],
    ["tried next", delivery.due_at ?? ""],
    ["settled", delivery.settled_at ?? ""],
  ]);
  const files = paths.map(({ path, change }) => `${change}\t${plainText(path)}\n`);
  const tries = attempts.map(({ at, attempt, duration_ms, status_code, error: why }) => {
    const answer = status_code === null ? plainText(why?.message ?? "-") : String(status_code);
    return `try ${attempt}\t${at}\t${duration_ms} ms\t${answer}\n`;
  });
  return [facts, ...files, ...tries].join("");
}

function aboutOf({ url, files, first_path }: Delivery): string {
  if (first_path === null) return url ?? "-";
  return files === 1 ? first_path : `${first_path} and ${files - 1} more`;
}
