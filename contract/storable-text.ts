// Text that the database can keep.
import { z } from "zod";

/** PostgreSQL has no text with the character 0, nor with half of a surrogate pair. */
export const StorableText = z
  .string()
  .refine(
    (text) => !text.includes("\0") && !/\p{Cs}/u.test(text),
    "must not contain U+0000 or half of a surrogate pair",
  );
