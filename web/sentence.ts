// The server's messages are written for logs and terminals: lower case, no full stop. A page shows sentences.

export function sentence(message: string): string {
  const text = message.trim();
  if (text === "") return "";
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
