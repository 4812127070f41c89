// Moves the focus to the first wrong field of a form.
import { type RefObject, useEffect } from "react";

/** `refusal` changes each time a submitted form was refused, and only then: never while someone types. */
export function useFocusInvalid(form: RefObject<HTMLFormElement | null>, refusal: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the refusal is what sets it off
  useEffect(() => {
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [form, refusal]);
}
