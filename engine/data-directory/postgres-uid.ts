// The user that the embedded PostgreSQL runs as when Croft is root.

/** `nobody`, present on every Linux. Jobs must never run as this one: they could read and signal PostgreSQL. */
export const POSTGRES_UID = 65534;
