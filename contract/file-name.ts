// A name under which a file can be kept anywhere, whatever somebody else called it.

/** Letters that turn the direction of what follows: `exe.gpj` would be read as `jpg.exe`. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Devices, with any ending, on Windows. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const BYTES_MAX = 200;

/** One part of a path, that begins with no dot, is no device, and is not longer than a file system takes. */
export function safeFileName(name: string): string {
  const flat = name
    .replaceAll(/[/\\\p{Cc}\p{Cs}]/gu, "_")
    .replaceAll(TURNS, "_")
    .replace(/^\.+/, "_")
    .replace(DEVICES, "_$&")
    .replace(/[. ]+$/, "_");
  return shortened(flat === "" ? "_" : flat);
}

/** The ending stays: it says how to open it. */
function shortened(name: string): string {
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  if (bytes(name) <= BYTES_MAX) return name;
  const ending = /\.[\w.]{1,16}$/.exec(name)?.[0] ?? "";
  let head = [...name.slice(0, name.length - ending.length)];
  while (bytes(head.join("")) + ending.length > BYTES_MAX) head = head.slice(0, -1);
  return head.join("") + ending;
}
