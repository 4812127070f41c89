// A modal window: the browser keeps the focus inside, closes it on Esc and gives the focus back.
import { type ReactNode, useLayoutEffect, useRef } from "react";

const placements = {
  center:
    "m-auto w-[min(28rem,calc(100vw-2rem))] rounded-lg border border-line starting:open:scale-98",
  wide: "m-auto w-[min(60rem,calc(100vw-2rem))] rounded-lg border border-line starting:open:scale-98",
  left: "m-0 h-dvh max-h-none w-64 max-w-[85vw] border-line border-r starting:open:-translate-x-4",
} as const;

export interface DialogProps {
  label: string;
  placement?: keyof typeof placements;
  /** Only a button of its own closes it: what it shows would be lost. */
  isSticky?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Open while it is rendered. */
export function Dialog(props: DialogProps) {
  const { label, placement = "center", isSticky = false, onClose, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Closed before it is removed: only then the browser gives the focus back.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-label={label}
      closedby={isSticky ? "none" : "any"}
      onCancel={(event) => isSticky && event.preventDefault()}
      // The event comes late: by then an effect that ran twice (strict mode) has opened the dialog again.
      onClose={() => ref.current?.open || onClose()}
      className={`bg-surface text-ink shadow-float transition starting:open:opacity-0 ${placements[placement]}`}
    >
      {children}
    </dialog>
  );
}
