// Shown while it is not known yet who is signed in, when that takes long enough to be noticed.
import { Logo } from "./logo.tsx";

export function Pending() {
  return (
    <main className="grid min-h-dvh animate-pulse place-items-center">
      <title>Loading · Croft</title>
      <h1 className="sr-only">Loading</h1>
      <Logo className="size-10" />
    </main>
  );
}
