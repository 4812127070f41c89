// Whether an element has come near the visible part of the page; once it has, that stays.
import { type RefObject, useEffect, useState } from "react";

/** Soon enough to be there when it is scrolled to. */
const margin = "300px";

export function useInSight(element: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    if (isSeen || element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => setIsSeen(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: margin },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, isSeen]);
  return isSeen;
}
