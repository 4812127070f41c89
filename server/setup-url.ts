// The one-time link for the first admin.

/** The secret stands behind `#`: browsers do not send that part, so it gets into no log and no Referer. */
export function setupUrl(ownUrl: string, token: string): string {
  return `${ownUrl}/setup#${token}`;
}
