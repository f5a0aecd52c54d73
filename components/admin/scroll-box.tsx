import clsx from 'clsx';
import type { ReactNode } from 'react';

interface ScrollBoxProps {
  readonly label: string;
  /** Says how high it may be. */
  readonly className: string;
  readonly children: ReactNode;
}

/** Something long in a frame of its own, which scrolls with the keyboard too. */
export function ScrollBox({ label, className, children }: ScrollBoxProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section aria-label={label} tabIndex={0} className={clsx('overflow-auto', className)}>
      {children}
    </section>
  );
}
