// Asks before one action is done to many things, and begins it.
import type { Bulk, BulkRequest } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { body } from "../api.ts";
import { bulkQuery } from "../bulk-query.ts";
import type { Exact } from "../defined-only.ts";
import { useApi } from "../use-api.ts";
import type { ButtonProps } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

export interface BulkDialogProps {
  request: Exact<BulkRequest>;
  title: string;
  confirmLabel: string;
  look?: ButtonProps["look"];
  /** Its progress is to be shown from now on. */
  onStarted: (bulk: Bulk) => void;
  onClose: () => void;
  children: ReactNode;
}

export function BulkDialog(props: BulkDialogProps) {
  const { request, title, confirmLabel, look = "primary", onStarted, onClose, children } = props;
  const api = useApi();
  const queryClient = useQueryClient();
  const start = useMutation({
    mutationFn: () => body(api.POST("/api/bulk", { body: request })),
    onSuccess: (bulk) => {
      queryClient.setQueryData(bulkQuery(api, bulk.id).queryKey, bulk);
      onClose();
      onStarted(bulk);
    },
  });
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirmLabel}
      dismissLabel="Not now"
      look={look}
      busy={start.isPending}
      error={start.error}
      onConfirm={() => start.mutate()}
      onClose={onClose}
    >
      {children}
    </ConfirmDialog>
  );
}
