import clsx from 'clsx';
import { contextLevel } from '#lib/chat/context-level';
import { adminStrings } from '#lib/strings/admin';

const colours = { calm: 'bg-accent', warm: 'bg-amber', full: 'bg-red' };
const words = { calm: 'text-ink', warm: 'text-amber', full: 'text-red' };

/** How full a context is (percent of usable): a small bar with marks at its two levels, and the figure. */
export function FillBar({ percent, className }: { readonly percent: number; readonly className?: string }) {
  const level = contextLevel(percent);
  return (
    <span className={clsx('flex items-center gap-2.5', className)}>
      <span aria-hidden className="relative h-1.5 min-w-12 flex-1 overflow-hidden rounded-[2px] bg-rule">
        <span
          className={clsx('absolute inset-y-0 left-0 transition-[width] duration-500', colours[level])}
          style={{ width: `${String(Math.min(100, percent))}%` }}
        />
        <span className="absolute inset-y-0 left-[65%] w-px bg-paper" />
        <span className="absolute inset-y-0 left-[85%] w-px bg-paper" />
      </span>
      <span className={clsx('w-11 text-right whitespace-nowrap tabular-nums', words[level])}>
        {adminStrings.percent(percent)}
      </span>
    </span>
  );
}
