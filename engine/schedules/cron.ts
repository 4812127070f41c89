// When a cron line is due, in a time zone.
import { Cron } from "croner";
import { EngineError } from "../engine-error.ts";

export interface CronLine {
  readonly cron: string;
  readonly timeZone: string;
}

/**
 * Numbers, names of months and days, `*`, lists, ranges, steps, `L` for the last day of a month and `MON#1` for its first
 * Monday. The library knows more, of which `?` means another time in each process and some cost a long search.
 */
const VALUE = "(?:\\d{1,2}|[a-z]{3})(?:#[1-5])?";
const ITEM = `(?:l|(?:\\*|${VALUE}(?:-${VALUE})?)(?:/\\d{1,2})?)`;
const FIELD = `${ITEM}(?:,${ITEM})*`;
const LINE = new RegExp(`^${FIELD}(?: +${FIELD}){4,5}$`, "i");
/** Others, as `+01:00`, are not known to every version of Node. */
const ZONE = /^[a-z][\w+-]*(?:\/[\w+-]+)*$/i;

/**
 * The first time after another, or none. At a change to summer time, what falls into the missing hour is due at its end;
 * at the end of summer time, what is due every so often is due in both hours, and what is due at one time of the day once.
 */
export function nextTime({ cron, timeZone }: CronLine, after: Date): Date | undefined {
  return parse({ cron, timeZone }).nextRun(after) ?? undefined;
}

/** As a caller's input: refuses lines that say nothing, zones that are none, and times that never come. */
export function requireNextTime(line: CronLine, after: Date): Date {
  if (!isZone(line.timeZone)) {
    throw new EngineError("invalid-input", "not valid: time_zone: must be one like Europe/Berlin");
  }
  if (!LINE.test(line.cron)) {
    throw refuse("must have five fields, or six with seconds, of numbers, names, * , - / # and L");
  }
  let next: Date | undefined;
  try {
    next = nextTime(line, after);
  } catch (error) {
    throw refuse((error as Error).message.replace(/^CronPattern: /, ""), error);
  }
  if (next === undefined) throw refuse("this time never comes");
  return next;
}

function refuse(reason: string, cause?: unknown): EngineError {
  return new EngineError("invalid-input", `not valid: cron: ${reason}`, { cause });
}

function parse({ cron, timeZone }: CronLine): Cron {
  return new Cron(cron, { timezone: timeZone, mode: "5-or-6-parts", paused: true });
}

function isZone(name: string): boolean {
  if (!ZONE.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false; // its only error
  }
}
