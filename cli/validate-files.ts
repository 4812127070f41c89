// Checks pipeline files, and those that they use, without any server.
import { open } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import {
  checkUse,
  findCycle,
  type ParsedPipeline,
  PIPELINE_BYTES_MAX,
  type Problem,
  parsePipelineBytes,
  type UsesStep,
} from "@croft/pipeline";

export interface FileReport {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** In the order given; files that are only used come behind. */
export async function validateFiles(files: readonly string[]): Promise<FileReport[]> {
  const parsed = new Map<string, ParsedPipeline>();
  const waiting = files.map((file) => normalize(file));
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (parsed.has(file)) continue;
    const read = await readPipeline(file);
    parsed.set(file, read);
    for (const { target } of usesIn(file, read)) waiting.push(target);
  }
  const cycle = findCycle(
    new Map(
      [...parsed].map(([file, read]) => [file, usesIn(file, read).map(({ target }) => target)]),
    ),
  );
  return [...parsed].map(([file, read]) => reportOf(file, read, parsed, cycle));
}

async function readPipeline(file: string): Promise<ParsedPipeline> {
  try {
    return parsePipelineBytes(await readStart(file), { file });
  } catch (error) {
    const problem = { file, line: 1, column: 1, message: unreadable(error), path: "" };
    const locate = () => ({ line: 1, column: 1 });
    return { pipeline: undefined, problems: [problem], warnings: [], locate };
  }
}

/** One byte more than a pipeline may have is enough to know that it is too large. */
async function readStart(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const buffer = Buffer.alloc(PIPELINE_BYTES_MAX + 1);
    let size = 0;
    while (size < buffer.length) {
      const { bytesRead } = await handle.read(buffer, size, buffer.length - size);
      if (bytesRead === 0) break;
      size += bytesRead;
    }
    return buffer.subarray(0, size);
  } finally {
    await handle.close();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "no permission to read it",
};

function unreadable(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "") throw error;
  return `cannot be read: ${REASONS[code] ?? message}`;
}

interface Use {
  readonly step: UsesStep;
  readonly target: string;
}

/** Stored pipelines are known to a server only. */
function usesIn(file: string, { pipeline }: ParsedPipeline): Use[] {
  return (pipeline?.steps ?? []).flatMap((step): Use[] =>
    step.kind === "uses" && "file" in step.uses
      ? [{ step, target: join(dirname(file), step.uses.file) }]
      : [],
  );
}

function reportOf(
  file: string,
  read: ParsedPipeline,
  all: ReadonlyMap<string, ParsedPipeline>,
  cycle: readonly string[] | undefined,
): FileReport {
  const problems = [...read.problems];
  const warnings = [...read.warnings];
  for (const { step, target } of usesIn(file, read)) {
    const child = all.get(target)?.pipeline;
    if (child !== undefined) {
      const found = checkUse({ parent: read, stepId: step.id, child, file });
      problems.push(...found.problems);
      warnings.push(...found.warnings);
    }
    const place = cycle?.indexOf(file) ?? -1;
    if (cycle !== undefined && place !== -1 && cycle[place + 1] === target) {
      const message = `pipelines use each other in a circle: ${cycle.join(" → ")}`;
      const path = `steps.${step.id}.uses`;
      problems.push({ file, ...read.locate(["steps", step.id, "uses"]), message, path });
    }
  }
  return { file, problems, warnings };
}
