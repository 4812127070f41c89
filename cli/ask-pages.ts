// A list of the API, page by page until there is enough of it.

/** The most that the API gives at a time. */
const PAGE_MAX = 200;

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

export async function askPages<Item>(
  count: number,
  ask: (query: PageQuery) => Promise<Page<Item>>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | null = null;
  do {
    const limit = Math.min(PAGE_MAX, count - all.length);
    const page: Page<Item> = await ask({ limit, ...(cursor === null ? {} : { cursor }) });
    all.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && all.length < count);
  return all;
}
