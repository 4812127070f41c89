// p-queue: what is possible when nothing is kept.
import PQueue from "p-queue";
import type { Contender } from "./contender.ts";

export function openPQueue(): Contender {
  const queue = new PQueue({ autoStart: false });
  let onStart = () => {};
  const enqueue = async () => {
    void queue.add(async () => onStart());
  };
  return {
    name: "pqueue",
    title: "p-queue",
    note: "in memory only: the bound",
    share: 1,
    enqueue,
    fill: async (jobs) => {
      for (let done = 0; done < jobs; done++) await enqueue();
    },
    work: async (slots, callback) => {
      onStart = callback;
      queue.concurrency = slots;
      queue.start();
      return { close: async () => queue.pause() };
    },
    left: async () => queue.size + queue.pending,
    tidy: async () => {},
    close: async () => {},
  };
}
