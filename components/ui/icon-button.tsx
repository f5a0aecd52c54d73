import clsx from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { Tip } from '#components/ui/tip';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  /** What the button does; its accessible name and its tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
}

/** A button that shows an icon only, with a tooltip that says what it does. */
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
