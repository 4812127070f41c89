// The bar at the top of a narrow screen, with the button that opens the sidebar as a drawer.
import { useRouter } from "@tanstack/react-router";
import { Menu, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Logo } from "./logo.tsx";

export function MobileBar({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-10 flex h-13 items-center gap-2.5 border-line border-b bg-canvas px-4 md:hidden">
      <Logo />
      <span className="font-semibold text-lg tracking-tight">Croft</span>
      <Button
        look="ghost"
        className="-mr-2 ml-auto size-10"
        aria-label="Menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Menu className="size-5" aria-hidden />
      </Button>
      {open && <Drawer onClose={() => setOpen(false)}>{children}</Drawer>}
    </header>
  );
}

function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const router = useRouter();
  useEffect(() => router.subscribe("onBeforeNavigate", onClose), [router, onClose]);
  useEffect(() => {
    // A modal that the wide layout hides would leave the page dead.
    const wide = matchMedia("(min-width: 48rem)");
    wide.addEventListener("change", onClose);
    return () => wide.removeEventListener("change", onClose);
  }, [onClose]);
  return (
    <Dialog label="Menu" placement="left" onClose={onClose}>
      {children}
      <Button
        look="ghost"
        className="absolute top-2 right-2 size-10"
        aria-label="Close menu"
        onClick={onClose}
      >
        <X className="size-5" aria-hidden />
      </Button>
    </Dialog>
  );
}
