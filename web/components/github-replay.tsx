// Handles an event of GitHub once more; asks first, and says what that means.
import type { GithubEvent } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { body } from "../api.ts";
import { githubEventQuery, githubKey } from "../github/github-query.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

const sentences = {
  handled:
    "It is handled once more, with the triggers as they are now, and starts its work anew: runs and jobs that it started before stay as they are, and comments and check runs may be written again.",
  ignored: "It is handled once more, with the triggers as they are now.",
  failed: "It is tried again now, as if it had just come, and has all its tries again.",
} as const;

export function GithubReplay({ event }: { event: GithubEvent }) {
  const [isAsking, setIsAsking] = useState(false);
  const mayChange = useMayChange();
  const { status } = event;
  if (!mayChange || status === "pending") return null;
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>
        <RotateCcw className="size-4" aria-hidden />
        Replay
      </Button>
      {isAsking && (
        <ReplayDialog id={event.id} words={sentences[status]} onClose={() => setIsAsking(false)} />
      )}
    </>
  );
}

interface ReplayDialogProps {
  id: string;
  words: string;
  onClose: () => void;
}

function ReplayDialog({ id, words, onClose }: ReplayDialogProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const { queryKey } = githubEventQuery(api, id);
  const replay = useMutation({
    mutationFn: () =>
      body(api.POST("/api/github/events/{id}/replay", { params: { path: { id } } })),
    onSuccess: async (replayed) => {
      // An answer that is older than this one must not come after it.
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, replayed);
      onClose();
      await queryClient.invalidateQueries({ queryKey: githubKey });
    },
    // It may have changed meanwhile: then the page shows that.
    onError: () => queryClient.invalidateQueries({ queryKey: githubKey }),
  });
  return (
    <ConfirmDialog
      title="Replay this event?"
      confirmLabel="Replay"
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
