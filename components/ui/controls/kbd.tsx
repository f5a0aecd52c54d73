'use client';

import clsx from 'clsx';

interface KbdProps {
  /** Labels of the keys. */
  readonly keys: readonly string[];
  readonly className?: string;
}

/** The keys of a shortcut, as small key caps. */
export function Kbd({ keys, className }: KbdProps) {
  return (
    <kbd className={clsx('inline-flex items-center gap-0.5 font-sans', className)}>
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-rule-strong bg-paper px-1 font-sans text-2xs text-ink-2"
        >
          {key}
        </kbd>
      ))}
    </kbd>
  );
}
