// Moves the focus to the first wrong field when the errors of a form change.
import { type RefObject, useEffect } from "react";

export function useFocusInvalid(form: RefObject<HTMLFormElement | null>, errors: unknown): void {
  useEffect(() => {
    if (errors === null || errors === undefined) return;
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [form, errors]);
}
