import clsx from 'clsx';
import { contextLevel } from '#lib/chat/context-level';

const RADIUS = 7;
const LENGTH = 2 * Math.PI * RADIUS;

const colours = { calm: 'text-accent', warm: 'text-amber', full: 'text-red' };

interface ContextRingProps {
  /** Percent of usable tokens, 0 to above 100; null while unknown. */
  readonly percent: number | null;
}

/** How full the context is, as a ring that closes. */
export function ContextRing({ percent }: ContextRingProps) {
  const share = Math.min(100, Math.max(0, percent ?? 0)) / 100;
  return (
    <svg
      viewBox="0 0 18 18"
      aria-hidden
      className={clsx('size-[1.125rem] -rotate-90', colours[contextLevel(percent ?? 0)])}
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
