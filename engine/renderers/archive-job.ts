// The job type `archive`: a commit as one file, the same bytes whenever and wherever it is made.
import { createHash } from "node:crypto";
import { stagingPlace } from "@croft/git";
import { z } from "zod";
import { defineJobType, type JobType } from "../jobs/job-type.ts";
import { type ArchiveFile, archiveFiles, measureArchive } from "./archive-files.ts";
import {
  baseName,
  factsOf,
  RefInput,
  type RendererParts,
  repositoryInput,
  withCommit,
} from "./open-commit.ts";
import { writeTarGz } from "./write-tar-gz.ts";
import { writeZip } from "./write-zip.ts";

const MEDIA_TYPES = { "tar.gz": "application/gzip", zip: "application/zip" } as const;
const PREFIX_LENGTH_MAX = 200;
const PATHS_MAX = 100;
const PATH_RULE = "must be a relative path without '.', '..' and empty parts";

const Path = z
  .string()
  .min(1)
  .max(1000)
  .transform((path) => path.replace(/\/$/, ""))
  .refine(isInside, PATH_RULE);

export function archiveJob(parts: RendererParts): JobType {
  const Input = z.strictObject({
    repository: repositoryInput(parts),
    ref: RefInput.optional(),
    format: z.enum(["tar.gz", "zip"]).prefault("tar.gz"),
    prefix: z
      .string()
      .max(PREFIX_LENGTH_MAX)
      .transform((prefix) => prefix.replace(/\/$/, ""))
      .refine((prefix) => prefix === "" || isInside(prefix), PATH_RULE)
      .optional()
      .describe("the directory that all is in; name and commit without one, none if it is empty"),
    paths: z
      .array(Path)
      .max(PATHS_MAX)
      .optional()
      .describe("only these files and directories; all without any"),
  });
  return defineJobType<z.output<typeof Input>>({
    name: "archive",
    description: "A commit as one tar.gz or zip file, the same bytes whenever it is made",
    input: Input,
    run: (attempt) =>
      withCommit(parts, attempt, attempt.input, async (opened) => {
        const { input, signal } = attempt;
        const { format, paths = [], prefix = baseName(opened) } = input;
        const { committedAt: modifiedAt } = await factsOf(opened, signal);
        const size = await measureArchive(opened, { paths, signal });
        const { hasAttributes } = size;
        const onBytes = (done: number) =>
          attempt.progress(size.bytes === 0 ? 1 : Math.min(1, done / size.bytes), "packing");
        const counted = { files: 0, bytes: 0 };
        const files = counting(
          below(prefix, archiveFiles(opened, { paths, signal, hasAttributes })),
          counted,
          onBytes,
        );
        const hash = createHash("sha256");
        const bytes =
          format === "zip"
            ? writeZip(files, {
                modifiedAt,
                directory: stagingPlace(opened.git.directories, "zip"),
              })
            : writeTarGz(files, { modifiedAt, hash });
        const name = `${baseName(opened)}.${format}`;
        const { commit } = opened;
        await attempt.assets.put(name, bytes, { mediaType: MEDIA_TYPES[format], commit });
        return {
          ...{ commit, format, prefix, files: counted.files, bytes: counted.bytes },
          ...(format === "zip" ? {} : { tar_sha256: hash.digest("hex") }),
        };
      }),
  });
}

/** The directories that lead to it first, as other archivers do. */
async function* below(
  prefix: string,
  files: AsyncIterable<ArchiveFile>,
): AsyncGenerator<ArchiveFile, void, undefined> {
  const parts = prefix === "" ? [] : prefix.split("/");
  for (const index of parts.keys()) {
    yield { kind: "directory", path: Buffer.from(parts.slice(0, index + 1).join("/")) };
  }
  const start = Buffer.from(prefix === "" ? "" : `${prefix}/`);
  for await (const file of files) yield { ...file, path: Buffer.concat([start, file.path]) };
}

/** Without directories. The bytes of a file count when it begins. */
async function* counting(
  files: AsyncIterable<ArchiveFile>,
  counted: { files: number; bytes: number },
  onBytes: (done: number) => void,
): AsyncGenerator<ArchiveFile, void, undefined> {
  for await (const file of files) {
    if (file.kind !== "directory") counted.files++;
    if (file.kind === "file") counted.bytes += file.sizeBytes;
    onBytes(counted.bytes);
    yield file;
  }
}

function isInside(path: string): boolean {
  const parts = path.split("/");
  return !/\p{Cc}/u.test(path) && !parts.some((part) => ["", ".", ".."].includes(part));
}
