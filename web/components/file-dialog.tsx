// One file of a watched repository, to look at and to download.
import type { WatchFile } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { formatBytes } from "../format-bytes.ts";
import {
  contentAddress,
  contentQuery,
  type FileContent,
  shownBytesMax,
} from "../repositories/file-content.ts";
import { Button } from "./button.tsx";
import { CodeBlock } from "./code-block.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { Skeleton } from "./skeleton.tsx";

export interface FileDialogProps {
  watchId: string;
  file: WatchFile;
  onClose: () => void;
}

export function FileDialog({ watchId, file, onClose }: FileDialogProps) {
  const { data, error } = useQuery(contentQuery(watchId, file));
  return (
    <Dialog label={file.path} placement="wide" onClose={onClose}>
      <div className="space-y-3 p-5">
        <div>
          <h2 className="break-all font-mono font-semibold text-sm">{file.path}</h2>
          <p className="break-all text-ink-faint text-xs">
            {formatBytes(file.size)}, blob {file.blob}
          </p>
        </div>
        {error !== null && <ProblemNotice error={error} />}
        {data === undefined ? (
          error === null && <Skeleton className="h-40 w-full" />
        ) : (
          <Content content={data} file={file} />
        )}
      </div>
      <div className="flex justify-end gap-2 border-line border-t bg-canvas px-5 py-3">
        <a
          href={contentAddress(watchId, file)}
          download
          className="inline-flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-3 font-medium text-sm shadow-card hover:bg-hover"
        >
          <Download className="size-4" aria-hidden />
          Download
        </a>
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function Content({ content, file }: { content: FileContent; file: WatchFile }) {
  if (content.kind === "binary") {
    return <p className="text-ink-soft text-sm">It is no text. Download it to look at it.</p>;
  }
  if (file.mode === "120000") {
    return (
      <p className="text-sm">
        A link to <code className="break-all font-mono text-xs">{content.text}</code>
      </p>
    );
  }
  if (content.text === "") return <p className="text-ink-soft text-sm">It is empty.</p>;
  return (
    <>
      <CodeBlock label={`Content of ${file.path}`}>{content.text}</CodeBlock>
      {!content.isWhole && (
        <p className="text-ink-faint text-xs">Its first {formatBytes(shownBytesMax)}.</p>
      )}
    </>
  );
}
