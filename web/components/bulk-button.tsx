// A button for one action on many things: asks first, then leads to its progress.
import type { Bulk, BulkRequest } from "@croft/contract";
import type { LucideIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Exact } from "../defined-only.ts";
import { useMayChange } from "../use-may-change.ts";
import { BulkDialog } from "./bulk-dialog.tsx";
import { Button } from "./button.tsx";

export interface BulkButtonProps {
  label: string;
  icon: LucideIcon;
  request: Exact<BulkRequest>;
  title: string;
  onStarted: (bulk: Bulk) => void;
  /** What will happen. */
  children: ReactNode;
}

export function BulkButton(props: BulkButtonProps) {
  const { label, icon: Icon, request, title, onStarted, children } = props;
  const [isAsking, setIsAsking] = useState(false);
  if (!useMayChange()) return null;
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>
        <Icon className="size-4" aria-hidden />
        {label}
      </Button>
      {isAsking && (
        <BulkDialog
          {...{ request, title, onStarted }}
          confirmLabel={label}
          onClose={() => setIsAsking(false)}
        >
          {children}
        </BulkDialog>
      )}
    </>
  );
}
