// Words in which `backticks` mark commands and names, as the server's messages do.

export function CodeText({ children }: { children: string }) {
  // Every second part stood between backticks. The parts never move, so their place is their key.
  const parts = children.split("`").map((text, place) => ({ text, place }));
  return parts.map(({ text, place }) =>
    place % 2 === 0 ? (
      text
    ) : (
      <code
        key={place}
        className="whitespace-nowrap rounded-sm border border-line bg-sunken px-1 py-px font-mono text-[0.92em] text-ink"
      >
        {text}
      </code>
    ),
  );
}
