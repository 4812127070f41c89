// Where a list of GitHub's goes on: what the link to the next page asks for.

/** Only what it asks for is taken, never the address: that stays ours. */
export function nextPage(link: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof link !== "string") return undefined;
  const address = /<([^<>]+)>;\s*rel="next"/.exec(link)?.[1];
  if (address === undefined || !URL.canParse(address)) return undefined;
  return Object.fromEntries(new URL(address).searchParams);
}
