// What a job does and why it waits, in words.
import type { AnyJob } from "@croft/contract";
import { formatCount } from "../format-count.ts";
import { repositoryName } from "../repository-name.ts";

const lengthMax = 200;
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };

/** One line that tells jobs of one type apart: the command, else the input. */
export function jobSummary({ input, type }: Pick<AnyJob, "input" | "type">): string {
  if (input === null) return "a large input";
  const command = input["command"];
  const text =
    type === "command" && (typeof command === "string" || Array.isArray(command))
      ? [command].flat().join(" ")
      : JSON.stringify(input);
  return text.replace(/\s+/g, " ").trim().slice(0, lengthMax);
}

export function jobRepository({ input }: Pick<AnyJob, "input">): string | undefined {
  const repository = input?.["repository"];
  return typeof repository === "string" ? repositoryName(repository) : undefined;
}

/** Short, for a row of a list. */
export function waitingWords({ waiting_for, position }: Pick<AnyJob, "waiting_for" | "position">) {
  const reasons = {
    lane: "for its lane",
    owner: "for its owner's limit",
    global: "for the limit of all",
    worker: "for a worker",
    time: "for its time",
    line: "for earlier work",
  } as const;
  if (waiting_for === null) return "";
  const place = position === null || position === 1 ? "" : `, ${placeWords(position)}`;
  return `${reasons[waiting_for]}${place}`;
}

/** A whole sentence, for the page of a job. */
export function waitingSentence(job: AnyJob): string {
  const ahead = (job.position ?? 1) - 1;
  const line = ahead === 0 ? "It is the next." : `It is the ${placeWords(ahead + 1)}.`;
  switch (job.waiting_for) {
    case "lane":
      return `Its lane \`${job.key ?? ""}\` is paused or runs as many jobs as it may. ${line}`;
    case "owner":
      return `Its owner \`${job.owner}\` runs as many jobs as it may at a time. ${line}`;
    case "global":
      return `As many jobs run as this installation allows at a time. ${line}`;
    case "worker":
      return `No worker that knows the type \`${job.type}\` has a free slot. ${line}`;
    case "time":
      return "It is not due yet.";
    case "line":
      return "Earlier work on the same pull request has not ended.";
    default:
      return "";
  }
}

function placeWords(position: number): string {
  if (position > 1_000) return "1,000th in line or later";
  return `${formatCount(position)}${endings[ordinals.select(position)] ?? "th"} in line`;
}

/** Enough to recognise an id by; all begin with the time, so the end tells them apart. */
export function shortId(id: string): string {
  return id.slice(-8);
}
