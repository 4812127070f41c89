// The id under which the server's log tells what happened to a request.

export function RequestId({ id }: { id: string | undefined }) {
  if (id === undefined) return null;
  return (
    <p className="mt-1.5 text-ink-faint text-xs">
      Request <code className="select-all break-all font-mono text-ink-soft">{id}</code>
    </p>
  );
}
