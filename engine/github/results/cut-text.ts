// Texts that GitHub would refuse for their length, with a word about what is missing.
import { storable } from "../../jobs/job-failure.ts";

export function cutText(text: string, lengthMax: number): string {
  const whole = storable(text);
  if (whole.length <= lengthMax) return whole;
  const note = `\n\n… ${whole.length} characters are more than GitHub takes: the rest is left out`;
  // Half of a surrogate pair is no character.
  return `${storable(whole.slice(0, lengthMax - note.length - 1)).replace(/\ufffd$/, "")}${note}`;
}
