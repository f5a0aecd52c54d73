import clsx from 'clsx';

/** Urgency of a fill level. */
type ContextLevel = 'calm' | 'warm' | 'full';

/** Percent of the usable tokens from which the meter draws attention. */
export const WARM_PERCENT = 65;
/** Percent of usable tokens above which the next requests will be summarized. */
export const FULL_PERCENT = 85;

/** Urgency of a fill level (percent of usable tokens). */
export function contextLevel(percentUsed: number): ContextLevel {
  if (percentUsed >= FULL_PERCENT) return 'full';
  return percentUsed >= WARM_PERCENT ? 'warm' : 'calm';
}

/** Classes for the text colour of each level. */
export const levelText: Readonly<Record<ContextLevel, string>> = {
  calm: 'text-ink',
  warm: 'text-amber',
  full: 'text-red',
};
/** Classes for the bar of each level. */
export const levelBar: Readonly<Record<ContextLevel, string>> = { calm: 'bg-accent', warm: 'bg-amber', full: 'bg-red' };

const RADIUS = 7;
const LENGTH = 2 * Math.PI * RADIUS;

const ringText = { calm: 'text-accent', warm: 'text-amber', full: 'text-red' };

interface ContextRingProps {
  /** Percent of usable tokens, 0 to above 100; null while unknown. */
  readonly percent: number | null;
}

/** Fill level of the context as a ring. */
export function ContextRing({ percent }: ContextRingProps) {
  const share = Math.min(100, Math.max(0, percent ?? 0)) / 100;
  return (
    <svg
      viewBox="0 0 18 18"
      aria-hidden
      className={clsx('size-[1.125rem] -rotate-90', ringText[contextLevel(percent ?? 0)])}
    >
      <circle cx="9" cy="9" r={RADIUS} fill="none" strokeWidth="2.25" className="stroke-rule-strong" />
      <circle
        cx="9"
        cy="9"
        r={RADIUS}
        fill="none"
        stroke="currentColor"
        strokeWidth="2.25"
        strokeLinecap="round"
        strokeDasharray={`${String(share * LENGTH)} ${String(LENGTH)}`}
        opacity={share === 0 ? 0 : 1}
        className="transition-[stroke-dasharray] duration-500"
      />
    </svg>
  );
}
