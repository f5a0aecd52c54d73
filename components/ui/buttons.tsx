'use client';

import clsx from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { Tip } from '#components/ui/tip';

const variants = {
  primary:
    'bg-accent text-accent-ink hover:bg-accent-strong disabled:bg-rule disabled:text-ink-3 aria-disabled:bg-rule aria-disabled:text-ink-3',
  outline:
    'border border-rule-strong bg-sheet text-ink hover:border-ink-3 disabled:text-ink-3 aria-disabled:text-ink-3',
  ghost:
    'text-ink-2 hover:bg-ink/6 hover:text-ink disabled:text-ink-3 disabled:hover:bg-transparent aria-disabled:text-ink-3',
  danger: 'bg-red text-sheet hover:opacity-90 disabled:opacity-50',
};

interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: keyof typeof variants;
  /**
   * True if a press has no effect for now, mostly because an action is running: unlike a disabled button, the button
   * keeps the focus. Default false.
   */
  readonly isBusy?: boolean;
}

/** A button with a text. */
export function Button({ variant = 'outline', isBusy = false, className, onClick, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? undefined : onClick}
      className={clsx(
        'inline-flex h-8 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium transition-colors',
        variants[variant],
        className,
      )}
      {...props}
    />
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  /** Accessible name and tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
}

/** A button with an icon only, and a tooltip. */
export function IconButton({ label, icon, className, ...props }: IconButtonProps) {
  return (
    <Tip text={label}>
      <button
        type="button"
        aria-label={label}
        className={clsx(
          'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors',
          'hover:bg-ink/6 hover:text-ink aria-pressed:text-accent disabled:text-ink-3',
          '[&_svg]:size-[1.05rem] [&_svg]:stroke-[1.75]',
          className,
        )}
        {...props}
      >
        {icon}
      </button>
    </Tip>
  );
}
