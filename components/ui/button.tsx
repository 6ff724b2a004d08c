import { clsx } from "clsx";
import type { ComponentProps } from "react";

type Look = "normal" | "primary" | "ghost" | "icon";

const LOOKS: Readonly<Record<Look, string>> = {
  normal: "border-line-strong bg-panel px-2.5 text-fg enabled:hover:bg-raised",
  primary: "border-accent-fill bg-accent-fill px-2.5 font-medium text-on-accent",
  ghost: "border-transparent bg-transparent px-1.5 text-accent enabled:hover:underline",
  icon: "w-[var(--control-h)] border-transparent bg-transparent text-fg-2 enabled:hover:bg-raised enabled:hover:text-fg",
};

/** Classes of a button, for links that look like one. */
export function buttonClass({
  look = "normal",
  isSmall = false,
}: {
  look?: Look;
  isSmall?: boolean;
} = {}): string {
  return clsx(
    "inline-flex flex-none items-center justify-center gap-1.5 whitespace-nowrap rounded-2 border",
    "disabled:text-fg-3 no-underline hover:no-underline",
    isSmall ? "h-6 text-s" : "h-[var(--control-h)]",
    LOOKS[look],
  );
}

/** A button says what it does. */
export function Button(props: ComponentProps<"button"> & { look?: Look; isSmall?: boolean }) {
  const { look = "normal", isSmall = false, className, type = "button", ...rest } = props;
  return <button type={type} className={clsx(buttonClass({ look, isSmall }), className)} {...rest} />;
}
