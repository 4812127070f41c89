// The secret of the one-time set-up link.

/** Takes the token out of the address bar, so that it stays neither in the history nor on the screen. */
export function takeSetupToken(): string | undefined {
  const { pathname, search, hash } = window.location;
  if (pathname !== "/setup" || hash.length < 2) return undefined;
  window.history.replaceState(window.history.state, "", pathname + search);
  return hash.slice(1);
}
