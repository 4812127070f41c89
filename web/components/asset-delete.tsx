// Removes an asset, after asking.
import type { Asset } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { assetsKey } from "../assets/asset-query.ts";
import { shownName } from "../assets/describe-asset.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

export interface DeleteAssetButtonProps {
  asset: Asset;
  look: "icon" | "words";
  onDeleted?: () => void;
}

export function DeleteAssetButton({ asset, look, onDeleted }: DeleteAssetButtonProps) {
  const [isAsking, setIsAsking] = useState(false);
  if (!useMayChange()) return null;
  const ask = () => setIsAsking(true);
  return (
    <>
      {look === "icon" ? (
        <Button
          look="ghost"
          className="size-8"
          aria-label={`Delete ${shownName(asset)}`}
          title="Delete"
          onClick={ask}
        >
          <Trash2 className="size-4" aria-hidden />
        </Button>
      ) : (
        <Button onClick={ask}>
          <Trash2 className="size-4" aria-hidden />
          Delete
        </Button>
      )}
      {isAsking && (
        <DeleteAsset asset={asset} onClose={() => setIsAsking(false)} onDeleted={onDeleted} />
      )}
    </>
  );
}

interface DeleteAssetProps {
  asset: Asset;
  onClose: () => void;
  onDeleted: (() => void) | undefined;
}

function DeleteAsset({ asset, onClose, onDeleted }: DeleteAssetProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.DELETE("/api/assets/{id}", { params: { path: { id: asset.id } } }),
    onSuccess: async () => {
      onClose();
      onDeleted?.();
      await queryClient.invalidateQueries({ queryKey: assetsKey });
    },
    // Somebody else may have removed it: then the list shows that.
    onError: () => queryClient.invalidateQueries({ queryKey: assetsKey }),
  });
  return (
    <ConfirmDialog
      title="Delete this file?"
      confirmLabel="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <span className="break-all font-medium text-ink">{shownName(asset)}</span> is gone at once,
      also for whatever refers to it. {asset.job_id !== null && "Its job stays as it is."}
    </ConfirmDialog>
  );
}
