// Says how far a new password is from long enough. Length is what resists guessing, so nothing else is asked for.
import { PASSWORD_LENGTH } from "@croft/contract";

const comfortableLength = 16;

export function PasswordLengthHint({ length }: { length: number }) {
  const missing = PASSWORD_LENGTH.min - length;
  const filled = Math.min(1, length / comfortableLength);
  const color = missing > 0 ? "bg-warn-mark" : "bg-ok";
  return (
    <>
      <span className="mb-1.5 block h-1 overflow-hidden rounded-sm bg-sunken" aria-hidden>
        <span
          className={`block h-full origin-left transition-transform ${color}`}
          style={{ transform: `scaleX(${filled})` }}
        />
      </span>
      {words(length, missing)}
    </>
  );
}

function words(length: number, missing: number): string {
  if (length === 0)
    return `At least ${PASSWORD_LENGTH.min} characters. A few words in a row work well.`;
  if (missing > 0) return `${missing} more ${missing === 1 ? "character" : "characters"} needed.`;
  return length < comfortableLength ? "Long enough. Longer is better." : "Good and long.";
}
