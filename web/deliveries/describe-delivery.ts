// What a delivery tells its app, and why it is where it is, in words.
import type { AppDetail, Delivery, DeliveryState, Watch } from "@croft/contract";
import { formatCount } from "../format-count.ts";

/** One line that tells deliveries apart. */
export function deliverySummary({ type, files, first_path }: Delivery): string {
  switch (type) {
    case "files.changed":
      if (first_path === null) return "Nothing is left of the tree";
      return files === 1 ? first_path : `${first_path} and ${formatCount(files - 1)} more`;
    case "sync.failed":
      return "The watch fails";
    case "sync.recovered":
      return "The watch works again";
    case "job.finished":
      return "A job has ended";
    case "ping":
      return "A test of the endpoint";
    default:
      return type;
  }
}

/** Short, for a row of a list: what became of the last try. */
export function outcomeWords({ status_code, error, attempt, waits, state }: Delivery): string {
  if (attempt === 0) return waits ? "waits its turn" : "not tried yet";
  const tries = attempt === 1 ? "" : `, try ${formatCount(attempt)}`;
  if (status_code !== null) return `${status_code}${tries}`;
  if (error !== null) return `${error.code}${tries}`;
  return state === "sending" ? `try ${formatCount(attempt)}` : `no answer${tries}`;
}

/** What is known of whom a delivery is for; undefined while it is being fetched. */
export interface Surroundings {
  app: Pick<AppDetail, "paused" | "base_url" | "endpoint" | "delivery_slots"> | undefined;
  watch: Pick<Watch, "held"> | undefined;
}

export interface Waiting {
  words: string;
  /** When it goes on, as far as that is known. */
  until: string | undefined;
}

/** Why one that is pending is not on its way, in the order in which it is looked at. */
export function whyWaiting(delivery: Delivery, { app, watch }: Surroundings, now: Date): Waiting {
  const reason = (words: string, until?: string | null) => ({ words, until: until ?? undefined });
  if (app?.base_url === null) return reason("Its app has no address to send it to.");
  if (app?.endpoint.state === "gone") {
    return reason("The app's address answered 410, so nothing is sent until somebody resumes it.");
  }
  if (app?.paused) return reason("Its app is paused: nothing is sent until it is resumed.");
  if (watch?.held && delivery.files > 0) {
    return reason("The watch's credential is refused, so nothing of the repository is sent.");
  }
  if (delivery.waits) {
    return reason(
      "An earlier message about one of its paths has to be accepted or given up first.",
    );
  }
  if (app?.endpoint.state === "closed") {
    const why = app.endpoint.failures > 0 ? "failed several times in a row" : "asked for a pause";
    const words = `The app's address ${why} and is left alone for a while.`;
    return reason(words, app.endpoint.closed_until);
  }
  if (delivery.due_at !== null && new Date(delivery.due_at) > now) {
    return reason("The last try failed. It is tried again by itself.", delivery.due_at);
  }
  const slots = app === undefined ? "as many" : formatCount(app.delivery_slots);
  return reason(`It is due. At most ${slots} are on their way to its app at a time.`);
}

/** What it means that it ended so; empty where the word says all. */
export const stateSentences: Record<DeliveryState, string> = {
  pending: "",
  sending: "",
  delivered: "",
  failed:
    "All tries failed, so it was given up. A replay tries it again under its own id; later messages about the same paths were sent without it.",
  quarantined:
    "The app refused this message (a 4xx answer), and it names one file only: the file is set aside so that the rest goes on. Mend the receiver or the file, then replay it.",
  split:
    "The app refused this message (a 4xx answer), so two halves took its place, to find the file that is to blame.",
  cancelled: "It is not sent any more: what it was about was taken back before it was accepted.",
};

/** Whether it can be sent once more, and under which id. */
export function replayKind({ state }: Delivery): "now" | "again" | "copy" | undefined {
  if (state === "pending") return "now";
  if (state === "failed" || state === "quarantined") return "again";
  return state === "delivered" ? "copy" : undefined;
}
