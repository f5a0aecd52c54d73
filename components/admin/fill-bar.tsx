import { percentage } from '#components/format.ts';
import clsx from 'clsx';
import { contextLevel, FULL_PERCENT, levelBar, levelText, WARM_PERCENT } from '#components/ui/context-level';

/**
 * How full a context is: a bar with marks at the two warning levels, and the number. `percent`: of the usable tokens.
 */
export function FillBar({ percent, className }: { readonly percent: number; readonly className?: string }) {
  const level = contextLevel(percent);
  // Content above 100 % is summarized before the next request, so a larger number has no meaning.
  const shown = Math.min(100, percent);
  return (
    <span className={clsx('flex items-center gap-2.5', className)}>
      <span aria-hidden className="relative h-1.5 min-w-12 flex-1 overflow-hidden rounded-[2px] bg-rule">
        <span
          className={clsx('absolute inset-y-0 left-0 transition-[width] duration-500', levelBar[level])}
          style={{ width: `${String(shown)}%` }}
        />
        {[WARM_PERCENT, FULL_PERCENT].map((place) => (
          <span key={place} className="absolute inset-y-0 w-px bg-paper" style={{ left: `${String(place)}%` }} />
        ))}
      </span>
      <span className={clsx('w-11 text-right whitespace-nowrap tabular-nums', levelText[level])}>
        {percentage(shown)}
      </span>
    </span>
  );
}
