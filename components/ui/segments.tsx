"use client";

import { clsx } from "clsx";

/** One of a few, all in sight. */
export function Segments<Value extends string>(props: {
  label: string;
  options: readonly { readonly value: Value; readonly label: string; readonly title?: string }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const { label, options, value, onChange } = props;
  return (
    <fieldset
      aria-label={label}
      className="inline-flex flex-wrap overflow-hidden rounded-2 border border-line-strong focus-within:overflow-visible"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          title={option.title}
          onClick={() => onChange(option.value)}
          className={clsx(
            "h-[26px] border-r border-line-strong px-2.5 text-s last:border-r-0",
            option.value === value
              ? "bg-accent-tint font-medium text-fg shadow-[inset_0_-2px_var(--accent)]"
              : "text-fg-2 hover:text-fg",
          )}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
