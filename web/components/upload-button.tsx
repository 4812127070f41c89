// Chooses files to upload.
import { Upload } from "lucide-react";
import { useRef } from "react";
import { Button, type ButtonProps } from "./button.tsx";

export interface UploadButtonProps {
  look?: ButtonProps["look"];
  onFiles: (files: File[]) => void;
}

export function UploadButton({ look = "primary", onFiles }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button look={look} onClick={() => input.current?.click()}>
        <Upload className="size-4" aria-hidden />
        Upload files
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // Else the same file could not be chosen again.
          event.target.value = "";
        }}
      />
    </>
  );
}
