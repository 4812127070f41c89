// What the database says to whoever writes for an app that was deleted meanwhile: see `croft.require_app`.

const SQL_STATE = "CR001";

export function isAppGone(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === SQL_STATE;
}
