// The records of a zip archive around its contents, as APPNOTE 6.3.10 has them, with the larger numbers where they are needed.
import { isUtf8 } from "node:buffer";

export interface ZipEntry {
  readonly path: Buffer;
  /** Kind and rights as Unix has them. */
  readonly mode: number;
  readonly isDeflated: boolean;
  /** Sizes and sum follow the contents: they were not known before. */
  readonly isStreamed: boolean;
  /** Its sizes may not fit into 32 bits. */
  readonly isLarge: boolean;
  readonly sum: number;
  readonly sizeBytes: number;
  readonly packedBytes: number;
  readonly offset: number;
}

const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const VERSION = { plain: 20, large: 45 } as const;
const MADE_ON_UNIX = 3 << 8;
const FLAG = { streamed: 1 << 3, utf8: 1 << 11 } as const;
const DIRECTORY_MARK = 0x10;
const YEARS = { min: 1980, max: 2107 } as const;

export function localHead(entry: ZipEntry, modifiedAt: number): Buffer {
  const { path, isStreamed, isLarge, sum, sizeBytes, packedBytes } = entry;
  const numbers = isStreamed ? [0, 0, 0] : [sum, packedBytes, sizeBytes];
  const large = isLarge ? extraField(1, [0n, 0n]) : Buffer.alloc(0);
  const extra = Buffer.concat([timeField(modifiedAt), large]);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  writeCommon(head, 4, entry, modifiedAt);
  head.writeUInt32LE(numbers[0] ?? 0, 14);
  head.writeUInt32LE(isLarge ? MAX_32 : (numbers[1] ?? 0), 18);
  head.writeUInt32LE(isLarge ? MAX_32 : (numbers[2] ?? 0), 22);
  head.writeUInt16LE(path.length, 26);
  head.writeUInt16LE(extra.length, 28);
  return Buffer.concat([head, path, extra]);
}

export function sizesAfter({ isLarge, sum, sizeBytes, packedBytes }: ZipEntry): Buffer {
  const after = Buffer.alloc(isLarge ? 24 : 16);
  after.writeUInt32LE(0x08074b50, 0);
  after.writeUInt32LE(sum, 4);
  if (isLarge) {
    after.writeBigUInt64LE(BigInt(packedBytes), 8);
    after.writeBigUInt64LE(BigInt(sizeBytes), 16);
  } else {
    after.writeUInt32LE(packedBytes, 8);
    after.writeUInt32LE(sizeBytes, 12);
  }
  return after;
}

export function centralHead(entry: ZipEntry, modifiedAt: number): Buffer {
  const { path, mode, isLarge, sum, sizeBytes, packedBytes, offset } = entry;
  const isFar = offset >= MAX_32;
  const large = [
    ...(isLarge ? [BigInt(sizeBytes), BigInt(packedBytes)] : []),
    ...(isFar ? [BigInt(offset)] : []),
  ];
  const more = large.length === 0 ? Buffer.alloc(0) : extraField(1, large);
  const extra = Buffer.concat([timeField(modifiedAt), more]);
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(MADE_ON_UNIX | VERSION.large, 4);
  writeCommon(head, 6, entry, modifiedAt);
  head.writeUInt32LE(sum, 16);
  head.writeUInt32LE(isLarge ? MAX_32 : packedBytes, 20);
  head.writeUInt32LE(isLarge ? MAX_32 : sizeBytes, 24);
  head.writeUInt16LE(path.length, 28);
  head.writeUInt16LE(extra.length, 30);
  const marks = path.at(-1) === 0x2f ? DIRECTORY_MARK : 0;
  head.writeUInt32LE(((mode << 16) | marks) >>> 0, 38);
  head.writeUInt32LE(isFar ? MAX_32 : offset, 42);
  return Buffer.concat([head, path, extra]);
}

/** `offset` is where the central directory begins. */
export function zipEnd(count: number, sizeBytes: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(sizeBytes, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  if (count < MAX_16 && sizeBytes < MAX_32 && offset < MAX_32) return end;
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(MADE_ON_UNIX | VERSION.large, 12);
  large.writeUInt16LE(VERSION.large, 14);
  large.writeBigUInt64LE(BigInt(count), 24);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(sizeBytes), 40);
  large.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + sizeBytes), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([large, locator, end]);
}

/** The five fields that both heads have in the same order: version, flags, method, time, date. */
function writeCommon(head: Buffer, at: number, entry: ZipEntry, modifiedAt: number): void {
  const { path, isStreamed, isLarge, isDeflated } = entry;
  const { time, date } = dosTime(modifiedAt);
  const flags = (isStreamed ? FLAG.streamed : 0) | (isUtf8(path) ? FLAG.utf8 : 0);
  head.writeUInt16LE(isLarge ? VERSION.large : VERSION.plain, at);
  head.writeUInt16LE(flags, at + 2);
  head.writeUInt16LE(isDeflated ? 8 : 0, at + 4);
  head.writeUInt16LE(time, at + 6);
  head.writeUInt16LE(date, at + 8);
}

/** In UTC: the field knows no zones. */
function dosTime(modifiedAt: number): { readonly time: number; readonly date: number } {
  const min = Date.UTC(YEARS.min, 0, 1);
  const max = Date.UTC(YEARS.max, 11, 31, 23, 59, 58);
  const at = new Date(Math.min(Math.max(min, modifiedAt * 1000), max));
  const seconds = Math.floor(at.getUTCSeconds() / 2);
  const year = at.getUTCFullYear() - YEARS.min;
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | seconds,
    date: (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}

/** The time to the second, for those who read it: Unix time in 32 bits. */
function timeField(modifiedAt: number): Buffer {
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x5455, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  field.writeInt32LE(Math.min(Math.max(0, modifiedAt), 2 ** 31 - 1), 5);
  return field;
}

function extraField(id: number, values: readonly bigint[]): Buffer {
  const field = Buffer.alloc(4 + values.length * 8);
  field.writeUInt16LE(id, 0);
  field.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(value, 4 + index * 8);
  return field;
}
