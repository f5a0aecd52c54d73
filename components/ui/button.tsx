import clsx from 'clsx';
import type { ComponentProps } from 'react';

const variants = {
  primary:
    'bg-accent text-accent-ink hover:bg-accent-strong disabled:bg-rule disabled:text-ink-3 aria-disabled:bg-rule aria-disabled:text-ink-3',
  outline: 'border border-rule-strong bg-sheet text-ink hover:border-ink-3 disabled:text-ink-3',
  ghost: 'text-ink-2 hover:bg-ink/6 hover:text-ink disabled:text-ink-3 disabled:hover:bg-transparent',
  danger: 'bg-red text-sheet hover:opacity-90 disabled:opacity-50',
};

interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: keyof typeof variants;
}

/** A button with a text. */
export function Button({ variant = 'outline', className, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      className={clsx(
        'inline-flex h-8 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium transition-colors',
        variants[variant],
        className,
      )}
      {...props}
    />
  );
}
