"use client";

import { clsx } from "clsx";
import { type ReactNode, useEffect, useRef, useState } from "react";

/** Room that a column standing still must leave for the others. */
const MOST_OF_WIDTH = 0.5;

/**
 * What scrolls, sideways or down, is a named region that the keyboard can reach; what fits is not a stop. Where more
 * is at the right the edge fades, so that a figure that is cut is not taken for a whole one; the first column stands
 * still where it leaves room for others.
 */
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
    const measure = () => {
      const { scrollWidth, clientWidth, scrollLeft } = element;
      const isWide = scrollWidth > clientWidth + 1;
      setIsScrollable(isWide || element.scrollHeight > element.clientHeight + 1);
      const first = element.querySelector<HTMLElement>("tr > :first-child");
      element.toggleAttribute(
        "data-first-stays",
        isWide && first !== null && first.offsetWidth <= clientWidth * MOST_OF_WIDTH,
      );
      const isCut = isWide && getComputedStyle(element).overflowX !== "visible";
      element.toggleAttribute("data-more", isCut && scrollLeft + clientWidth < scrollWidth - 1);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // The table may grow while the room for it stays.
    for (const child of element.children) observer.observe(child);
    element.addEventListener("scroll", measure, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  const reach = isScrollable ? { tabIndex: 0, role: "region", "aria-label": `${label}, scrolls` } : {};
  return (
    <div ref={ref} className={clsx("scroll-x border-t border-line", className)} {...reach}>
      {children}
    </div>
  );
}
