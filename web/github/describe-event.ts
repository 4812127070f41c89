// What an event of GitHub is about, why it waits and what it started, in words.
import type { GithubEffect, GithubEvent, GithubEventStatus } from "@croft/contract";
import { formatCount } from "../format-count.ts";

export function eventName({ event, action }: Pick<GithubEvent, "event" | "action">): string {
  return action === null ? event : `${event}.${action}`;
}

/** `octocat/hello#7`; null where it is about none. */
export function eventAbout({
  repository,
  pull_request,
}: Pick<GithubEvent, "repository" | "pull_request">): string | null {
  if (repository === null || pull_request === null) return repository;
  return `${repository}#${pull_request}`;
}

/** Where that is at GitHub. */
export function aboutLink(
  webUrl: string,
  { repository, pull_request }: Pick<GithubEvent, "repository" | "pull_request">,
): string | undefined {
  if (repository === null || !/^[\w.-]+\/[\w.-]+$/.test(repository)) return undefined;
  const page = pull_request === null ? "" : `/pull/${pull_request}`;
  return `${webUrl}/${repository}${page}`;
}

export interface Waiting {
  words: string;
  /** When it is tried next, as far as that is known. */
  until: string | undefined;
}

/** Why one that is pending has no end yet. */
export function whyPending({ failures, due_at, installation }: GithubEvent, now: Date): Waiting {
  if (failures > 0 && due_at !== null && new Date(due_at) > now) {
    const tries = failures === 1 ? "The last try" : `The last ${formatCount(failures)} tries`;
    const words = `${tries} failed. It is tried again by itself; later events of its installation wait behind it.`;
    return { words, until: due_at };
  }
  const words =
    installation === null
      ? "It is handled as soon as there is room."
      : "It is handled when the earlier events of its installation are: one after the other, in the order in which they came.";
  return { words, until: undefined };
}

/** What it means that it stands so; empty where something else says it. */
export const statusSentences: Record<GithubEventStatus, string> = {
  pending: "",
  handled: "",
  ignored:
    "Nothing was to be done: no trigger wants such an event, and it told nothing new of an installation or of a watched repository. A replay asks the triggers as they are then.",
  failed:
    "It was given up. Replay it when the reason is gone, or send it again from the App's page at GitHub.",
};

/** A line for each thing that was done about it. */
export function effectWords({ trigger, job, run }: GithubEffect): string {
  if (trigger === "croft/installation") return "What is known of the installation was renewed";
  if (trigger === "croft/watches") return "Watches of the repository looked at once";
  const [, kind = "trigger", name = trigger] = /^(pipeline|trigger):(.+)$/.exec(trigger) ?? [];
  const isStarted = job !== null || run !== null;
  return isStarted ? `by ${kind} ${name}` : `${sentenceCase(kind)} ${name} started nothing`;
}

function sentenceCase(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
