// Ids that sort by the time they were made (UUID version 7): new rows go to the end of every index.
import { randomBytes } from "node:crypto";

let lastMs = 0;
let counter = 0;

/** Of one process, each is greater than the one before, also within a millisecond. */
export function newId(): string {
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs++; // borrowed from the next millisecond
    counter = 0;
  }
  const time = lastMs.toString(16).padStart(12, "0");
  const random = randomBytes(8);
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
  const hex = random.toString("hex");
  const order = counter.toString(16).padStart(3, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${hex.slice(0, 4)}-${hex.slice(4)}`;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isId(text: string): boolean {
  return ID.test(text);
}
