// Starts a thread from a program beside the one that asks for it.
import { Worker, type WorkerOptions } from "node:worker_threads";

/** By its name without an ending: the product has it as JavaScript, the sources first have to learn TypeScript. */
export function startThread(name: string, from: string, options: WorkerOptions): Worker {
  const isSource = from.endsWith(".ts");
  const url = new URL(`./${name}.${isSource ? "ts" : "js"}`, from);
  if (!isSource) return new Worker(url, options);
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const start = `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); })`;
  return new Worker(start, { ...options, eval: true });
}
