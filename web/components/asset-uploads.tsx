// The files that are being uploaded or were just now, with what became of each.
import { Link } from "@tanstack/react-router";
import { Check, RotateCw, X } from "lucide-react";
import { shownName } from "../assets/describe-asset.ts";
import type { Upload, Uploads } from "../assets/use-uploads.ts";
import { formatBytes } from "../format-bytes.ts";
import { toProblem } from "../problem-error.ts";
import { Button } from "./button.tsx";
import { CodeText } from "./code-text.tsx";
import { ProgressBar, percentOf } from "./progress-bar.tsx";

export function AssetUploads({ uploads }: { uploads: Uploads }) {
  const { all, removeEnded } = uploads;
  if (all.length === 0) return null;
  const left = all.filter(({ state }) => state === "waiting" || state === "sending").length;
  const failed = all.filter(({ state }) => state === "failed").length;
  return (
    <section
      aria-label="Uploads"
      className="mb-4 overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <header className="flex h-11 items-center justify-between gap-4 border-line border-b pr-2 pl-4 text-sm">
        <p role="status" className="font-medium">
          {left > 0 ? `${filesWords(left)} on the way` : endedWords(all.length - failed, failed)}
        </p>
        {left < all.length && (
          <Button look="ghost" onClick={removeEnded}>
            Hide
          </Button>
        )}
      </header>
      <ul className="relative max-h-72 divide-y divide-line overflow-y-auto">
        {all.map((upload) => (
          <UploadRow key={upload.key} upload={upload} uploads={uploads} />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
  const { file, state, share, asset } = upload;
  return (
    <li className="px-4 py-2.5 text-sm">
      <div className="flex items-center gap-3">
        <span className="min-w-0 flex-1 truncate" title={file.name}>
          {asset === undefined ? (
            file.name
          ) : (
            <Link
              to="/assets/$id"
              params={{ id: asset.id }}
              className="font-medium text-accent underline-offset-4 hover:underline"
            >
              {shownName(asset)}
            </Link>
          )}
        </span>
        <span className="shrink-0 text-ink-faint text-xs tabular-nums">
          {state === "sending" ? `${percentOf(share)} % of ` : ""}
          {formatBytes(file.size)}
        </span>
        {state === "sent" && (
          <Check className="size-4 shrink-0 text-accent" aria-label="Uploaded" />
        )}
        {state === "failed" && (
          <IconButton
            label={`Try ${file.name} again`}
            icon={RotateCw}
            onClick={() => uploads.again(upload)}
          />
        )}
        {state !== "sent" && (
          <IconButton
            label={state === "failed" ? `Hide ${file.name}` : `Stop ${file.name}`}
            icon={X}
            onClick={() => uploads.remove(upload)}
          />
        )}
      </div>
      {(state === "sending" || state === "waiting") && (
        <div className="mt-1.5">
          <ProgressBar label={`Upload of ${file.name}`} share={share} className="h-1" />
        </div>
      )}
      {state === "failed" && <Failure error={upload.error} />}
    </li>
  );
}

function Failure({ error }: { error: unknown }) {
  const { title, detail } = toProblem(error);
  return (
    <p role="alert" className="mt-1 text-bad text-xs">
      <span className="font-medium">{title}.</span> <CodeText>{detail}</CodeText>
    </p>
  );
}

interface IconButtonProps {
  label: string;
  icon: typeof X;
  onClick: () => void;
}

function IconButton({ label, icon: Icon, onClick }: IconButtonProps) {
  return (
    <Button look="ghost" className="size-7" aria-label={label} title={label} onClick={onClick}>
      <Icon className="size-4" aria-hidden />
    </Button>
  );
}

function filesWords(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}

function endedWords(sent: number, failed: number): string {
  if (failed === 0) return `${filesWords(sent)} uploaded`;
  return sent === 0
    ? `${filesWords(failed)} could not be uploaded`
    : `${filesWords(sent)} uploaded, ${failed} could not be`;
}
