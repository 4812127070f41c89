// Shown while it is not known yet who is signed in, when that takes long enough to be noticed.
import { Logo } from "./logo.tsx";

export function Pending() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <title>Croft</title>
      <div role="status" aria-label="Loading Croft" className="animate-pulse">
        <Logo className="size-10" />
      </div>
    </main>
  );
}
