// Job types of the fault tests: they take their time, and tell when they ran.
import { setTimeout as delay } from "node:timers/promises";
import { defineJobType, type JobType } from "@croft/engine";
import { z } from "zod";
import { piecesOf } from "./numbered-contents.ts";

/** When an attempt ran, by the clock that all processes of the machine share. */
export interface RanFromTo {
  readonly from_ns: string;
  readonly to_ns: string;
  readonly pid: number;
}

/** The type `pause`: takes so long, perhaps says something then, and returns when it ran. */
export const pauseType: JobType = defineJobType({
  name: "pause",
  input: z.strictObject({
    ms: z.number().int().min(0).max(600_000),
    says: z.string().optional(),
  }),
  run: async ({ input, signal, log, progress }): Promise<RanFromTo> => {
    const from = process.hrtime.bigint();
    await delay(input.ms, undefined, { signal });
    if (input.says !== undefined) {
      log(input.says);
      progress(1, input.says);
    }
    const to = process.hrtime.bigint();
    return { from_ns: String(from), to_ns: String(to), pid: process.pid };
  },
});

/** The type `block`: as `pause`, but nothing else happens in its process meanwhile. */
export const blockType: JobType = defineJobType({
  name: "block",
  input: z.strictObject({ ms: z.number().int().min(0).max(60_000) }),
  run: async ({ input }): Promise<RanFromTo> => {
    const from = process.hrtime.bigint();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, input.ms);
    const to = process.hrtime.bigint();
    return { from_ns: String(from), to_ns: String(to), pid: process.pid };
  },
});

/** The type `files`: keeps so many files, whose contents their numbers say. */
export const filesType: JobType = defineJobType({
  name: "files",
  input: z.strictObject({ numbers: z.array(z.number().int().min(0)).max(10) }),
  run: async ({ input, assets }) => {
    for (const number of input.numbers) await assets.put(`${number}`, piecesOf(number));
    return input.numbers.length;
  },
});

export const queueJobTypes: readonly JobType[] = [pauseType, blockType, filesType];
