// How long a password may be; on its own so that a form can use it without the schemas.

/** Long enough to resist guessing, short enough that hashing it costs nothing extra. */
export const PASSWORD_LENGTH = { min: 12, max: 256 };
