// The files of a watched repository at the commit its app was told of: found by name, looked at, downloaded.
import type { Watch, WatchFile } from "@croft/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CornerUpRight, File, FileTerminal, FolderGit2 } from "lucide-react";
import { useState } from "react";
import { formatBytes } from "../format-bytes.ts";
import { filesQuery } from "../repositories/watch-query.ts";
import { useApi } from "../use-api.ts";
import { Button } from "./button.tsx";
import { FileDialog } from "./file-dialog.tsx";
import { FilterText } from "./filter-text.tsx";
import { EmptyLine, ListSection } from "./list-section.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { Skeleton } from "./skeleton.tsx";
import { shortCommit } from "./watch-table.tsx";

export function WatchFiles({ watch }: { watch: Watch }) {
  const { find } = useSearch({ from: "/app/repositories/$id" });
  const navigate = useNavigate();
  if (watch.commit === null) return null;
  return (
    <ListSection
      title={`Files at ${shortCommit(watch.commit)}`}
      aside={
        <FilterText
          key={find ?? ""}
          label="Part of a path"
          value={find}
          onApply={(text) =>
            void navigate({
              to: "/repositories/$id",
              params: { id: watch.id },
              search: { find: text },
              resetScroll: false,
            })
          }
        />
      }
    >
      <FileList watch={watch} find={find} />
    </ListSection>
  );
}

interface FileListProps {
  watch: Watch;
  find: string | undefined;
}

function FileList({ watch, find }: FileListProps) {
  const state = `${watch.commit} ${watch.told_at}`;
  const query = useInfiniteQuery(filesQuery(useApi(), watch.id, state, find));
  const [shown, setShown] = useState<WatchFile>();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (data === undefined) {
    if (error === null) return <Skeleton className="h-24 w-full" />;
    return (
      <div role="alert">
        <ProblemNotice error={error} />
      </div>
    );
  }
  const files = data.pages.flatMap((page) => page.files);
  if (files.length === 0) {
    return (
      <EmptyLine>{find === undefined ? "There are none." : "None has this in its path."}</EmptyLine>
    );
  }
  return (
    <>
      <ul
        aria-label="Files"
        className="divide-y divide-line rounded-lg border border-line bg-surface text-sm shadow-card"
      >
        {files.map((file) => (
          <FileRow key={file.path} file={file} onShow={() => setShown(file)} />
        ))}
      </ul>
      {hasNextPage && (
        <div className="mt-3">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      {shown !== undefined && (
        <FileDialog watchId={watch.id} file={shown} onClose={() => setShown(undefined)} />
      )}
    </>
  );
}

const icons = {
  "100644": { icon: File, words: "file" },
  "100755": { icon: FileTerminal, words: "executable" },
  "120000": { icon: CornerUpRight, words: "symbolic link" },
  "160000": { icon: FolderGit2, words: "submodule" },
} as const;

function FileRow({ file, onShow }: { file: WatchFile; onShow: () => void }) {
  const { icon: Icon, words } = icons[file.mode];
  const isSubmodule = file.mode === "160000";
  return (
    <li className="flex items-center gap-3 px-4 py-2">
      <Icon className="size-4 shrink-0 text-ink-faint" aria-label={words} />
      {isSubmodule ? (
        <span className="min-w-0 flex-1 break-all font-mono text-xs leading-5">{file.path}</span>
      ) : (
        <button
          type="button"
          onClick={onShow}
          className="min-w-0 flex-1 break-all text-left font-mono text-xs leading-5 hover:underline"
        >
          {file.path}
        </button>
      )}
      <span className="shrink-0 text-ink-soft text-xs tabular-nums">
        {isSubmodule ? shortCommit(file.blob) : formatBytes(file.size)}
      </span>
    </li>
  );
}
