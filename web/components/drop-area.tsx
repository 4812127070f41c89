// Takes files that are dropped anywhere in the window, and shows that it would.
import { Upload } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { droppedFiles } from "../assets/dropped-files.ts";
import { Notice } from "./notice.tsx";

export function DropArea({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [isOver, setIsOver] = useState(false);
  const [folders, setFolders] = useState<readonly string[]>([]);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    // Every element that is crossed sends its own pair of events: the drag is over when all are left again.
    let depth = 0;
    const hear = (change: (event: DragEvent) => void) => (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      // Without it the browser would open the file in place of the page.
      event.preventDefault();
      change(event);
      setIsOver(depth > 0);
    };
    const listeners = {
      dragenter: hear(() => depth++),
      dragleave: hear(() => depth--),
      dragover: hear(() => {}),
      drop: hear(({ dataTransfer }) => {
        depth = 0;
        if (dataTransfer === null || document.querySelector("dialog[open]") !== null) return;
        const dropped = droppedFiles(dataTransfer);
        setFolders(dropped.folders);
        take.current(dropped.files);
      }),
    };
    const entries = Object.entries(listeners) as ["drop", (event: DragEvent) => void][];
    for (const [type, listener] of entries) window.addEventListener(type, listener);
    return () => {
      for (const [type, listener] of entries) window.removeEventListener(type, listener);
    };
  }, []);
  return (
    <>
      <div role="alert" className="mb-4 empty:hidden">
        {folders.length > 0 && (
          <Notice tone="warn" title={`A folder cannot be uploaded: ${folders.join(", ")}`}>
            Drop the files that are in it, or an archive of it.
          </Notice>
        )}
      </div>
      {isOver && (
        <div className="pointer-events-none fixed inset-0 z-20 grid place-items-center bg-backdrop p-6">
          <p className="flex items-center gap-3 rounded-lg border-2 border-accent border-dashed bg-surface px-8 py-10 font-medium text-lg shadow-float">
            <Upload className="size-5 text-accent" aria-hidden />
            Drop to upload
          </p>
        </div>
      )}
    </>
  );
}
