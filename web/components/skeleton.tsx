// A grey block where something is still being fetched; takes the size it is given, so that nothing jumps later.

export function Skeleton({ className }: { className: string }) {
  return <span className={`block animate-pulse rounded-sm bg-sunken ${className}`} aria-hidden />;
}
