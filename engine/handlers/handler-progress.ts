// How far a handler is: the last word counts, and it is not said more often than anybody looks.

export interface SaidProgress {
  readonly fraction?: number;
  readonly note?: string;
}

const EVERY_MS = 100;
const NOTE_LENGTH_MAX = 500;

export function reportProgress(tell: (said: SaidProgress) => Promise<void>) {
  let latest: SaidProgress | undefined;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    if (latest !== undefined) void tell(latest);
    latest = undefined;
  };
  return {
    report: (fraction: number | undefined, note?: string) => {
      latest = {
        ...(typeof fraction === "number" && Number.isFinite(fraction) ? { fraction } : {}),
        ...(typeof note === "string" ? { note: note.slice(0, NOTE_LENGTH_MAX) } : {}),
      };
      timer ??= setTimeout(flush, EVERY_MS);
    },
    end: () => {
      clearTimeout(timer);
      flush();
    },
  };
}
