// The Croft mark: a fence with a gate, round a worked plot. The file is the favicon, so there is one drawing.

export function Logo({ className = "size-6" }: { className?: string }) {
  return <img src="/favicon.svg" alt="" className={className} />;
}
