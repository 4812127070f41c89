// The places where this admin is signed in, each of which can be signed out from here.
import type { Session } from "@croft/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Monitor, Smartphone, SquareTerminal } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { describeUserAgent } from "../describe-user-agent.ts";
import { sessionsQuery } from "../sessions-query.ts";
import { useApi } from "../use-api.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { ProblemView } from "./problem-view.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { Skeleton } from "./skeleton.tsx";

export function SessionList() {
  const query = useQuery(sessionsQuery(useApi()));
  const [asked, setAsked] = useState<Session>();
  const [signedOut, setSignedOut] = useState<Session>();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // The button that had the focus is gone with its row.
    if (signedOut !== undefined) list.current?.focus();
  }, [signedOut]);
  if (query.isError && query.data === undefined) {
    return (
      <ProblemView
        error={query.error}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  }
  const done = (session: Session) => {
    setAsked(undefined);
    setSignedOut(session);
  };
  return (
    <>
      <ul
        ref={list}
        tabIndex={-1}
        aria-label="Signed-in places"
        aria-busy={query.isPending}
        className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card outline-none"
      >
        {query.data === undefined
          ? [1, 2].map((place) => <RowSkeleton key={place} />)
          : currentFirst(query.data.sessions).map((session) => (
              <Row key={session.id} session={session} onRevoke={() => setAsked(session)} />
            ))}
      </ul>
      <p role="status" className="mt-2 min-h-5 text-ink-soft text-sm">
        {signedOut && `Signed out ${describeUserAgent(signedOut.user_agent).name}.`}
      </p>
      {asked !== undefined && (
        <RevokeDialog
          session={asked}
          onDone={() => done(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

function currentFirst(sessions: readonly Session[]): Session[] {
  return sessions.toSorted(
    (a, b) => Number(b.current) - Number(a.current) || b.last_seen_at.localeCompare(a.last_seen_at),
  );
}

const icons = { desktop: Monitor, phone: Smartphone, terminal: SquareTerminal } as const;

function Row({ session, onRevoke }: { session: Session; onRevoke: () => void }) {
  const device = describeUserAgent(session.user_agent);
  const Icon = icons[device.kind];
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-3.5">
      <Icon className="size-4.5 text-ink-faint" aria-hidden />
      <p className="flex flex-wrap items-center gap-x-2 font-medium">
        <span title={session.user_agent}>{device.name}</span>
        {session.current && (
          <span className="rounded-sm bg-accent-soft px-1.5 font-medium text-accent text-xs leading-5">
            this browser
          </span>
        )}
      </p>
      {!session.current && (
        <Button
          className="h-8 px-3 sm:row-span-2"
          onClick={onRevoke}
          aria-label={`Sign out ${device.name} at ${session.address}`}
        >
          Sign out
        </Button>
      )}
      <div className="col-start-2 text-sm max-sm:col-end-4">
        <p className="text-ink-soft">
          From <span className="break-all font-mono text-xs">{session.address}</span>
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-ink-faint text-xs">
          <span>
            Signed in <RelativeTime time={session.created_at} />
          </span>
          <span>
            Last seen <RelativeTime time={session.last_seen_at} />
          </span>
          <span>
            Ends <RelativeTime time={session.expires_at} />
          </span>
        </p>
      </div>
    </li>
  );
}

function RowSkeleton() {
  return (
    <li className="flex gap-3 px-4 py-3.5">
      <Skeleton className="mt-0.5 size-4.5" />
      <div>
        <Skeleton className="my-0.75 h-4 w-40" />
        <Skeleton className="my-0.5 h-4 w-56 max-w-full" />
        <Skeleton className="mt-1.5 h-3 w-64 max-w-full" />
      </div>
    </li>
  );
}

interface RevokeDialogProps {
  session: Session;
  onDone: () => void;
  onClose: () => void;
}

function RevokeDialog({ session, onDone, onClose }: RevokeDialogProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () =>
      api.DELETE("/admin/api/sessions/{id}", { params: { path: { id: session.id } } }),
    // Also after a failure: the place may be gone already.
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionsQuery(api).queryKey }),
    onSuccess: onDone,
  });
  return (
    <ConfirmDialog
      title="Sign out this place?"
      confirmLabel="Sign out"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <strong className="font-medium text-ink">{describeUserAgent(session.user_agent).name}</strong>{" "}
      at <span className="break-all font-mono text-sm">{session.address}</span> is signed out at
      once. Using Croft from there again needs your password.
    </ConfirmDialog>
  );
}
