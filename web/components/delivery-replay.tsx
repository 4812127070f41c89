// Sends a delivery once more; asks first, and says under which id.
import type { Delivery } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { body } from "../api.ts";
import { deliveriesKey, deliveryQuery } from "../deliveries/delivery-query.ts";
import { replayKind } from "../deliveries/describe-delivery.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

const faces = {
  now: {
    label: "Send now",
    title: "Send it now?",
    words:
      "It is due at once, instead of at its next turn. What keeps it back otherwise still does.",
  },
  again: {
    label: "Replay",
    title: "Replay this delivery?",
    words: "It is tried again now under its own id, and has all its tries again.",
  },
  copy: {
    label: "Replay",
    title: "Send it once more?",
    words:
      "It was accepted. The same message is sent again under a new id; this one stays as it is.",
  },
} as const;

export function DeliveryReplay({ delivery }: { delivery: Delivery }) {
  const [isAsking, setIsAsking] = useState(false);
  const mayChange = useMayChange();
  const kind = replayKind(delivery);
  if (!mayChange || kind === undefined) return null;
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>
        <RotateCcw className="size-4" aria-hidden />
        {faces[kind].label}
      </Button>
      {isAsking && (
        <ReplayDialog delivery={delivery} kind={kind} onClose={() => setIsAsking(false)} />
      )}
    </>
  );
}

interface ReplayDialogProps {
  delivery: Delivery;
  kind: keyof typeof faces;
  onClose: () => void;
}

function ReplayDialog({ delivery, kind, onClose }: ReplayDialogProps) {
  const api = useApi();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { id } = delivery;
  const { label, title, words } = faces[kind];
  const replay = useMutation({
    mutationFn: () => body(api.POST("/api/deliveries/{id}/replay", { params: { path: { id } } })),
    onSuccess: async (sent) => {
      queryClient.setQueryData(deliveryQuery(api, sent.id).queryKey, sent);
      await queryClient.invalidateQueries({ queryKey: deliveriesKey });
      onClose();
      if (sent.id !== id) await navigate({ to: "/deliveries/$id", params: { id: sent.id } });
    },
    // It may have changed meanwhile: then the page shows that.
    onError: () => queryClient.invalidateQueries({ queryKey: deliveriesKey }),
  });
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={label}
      look="primary"
      busy={replay.isPending}
      error={replay.error}
      onConfirm={() => replay.mutate()}
      onClose={onClose}
    >
      {words}
    </ConfirmDialog>
  );
}
