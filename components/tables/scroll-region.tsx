"use client";

import { clsx } from "clsx";
import { type ReactNode, useEffect, useRef, useState } from "react";

/** What scrolls, sideways or down, is a named region that the keyboard can reach; what fits is not a stop. */
export function ScrollRegion({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [isScrollable, setIsScrollable] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () =>
      setIsScrollable(
        element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1,
      );
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  const reach = isScrollable ? { tabIndex: 0, role: "region", "aria-label": `${label}, scrolls` } : {};
  return (
    <div ref={ref} className={clsx("scroll-x border-t border-line", className)} {...reach}>
      {children}
    </div>
  );
}
