// A logger for tests that look at results, not at logs.
import type { Log } from "@croft/engine";

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
