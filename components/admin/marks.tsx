import clsx from 'clsx';
import { Circle, CircleDashed, Hand, Layers2, type LucideIcon, Pause, TriangleAlert } from 'lucide-react';
import { adminStrings } from '#components/admin/words';
import { contextLevel } from '#components/ui/format';
import { dollars, percentage } from '#components/figures';
import type { SessionState } from '#server/core/session-overview';

/** An amount in US dollars; null where the provider does not say it. */
export function Cost({ amount }: { readonly amount: number | null }) {
  if (amount !== null) return <span className="tabular-nums">{dollars(amount)}</span>;
  return (
    <span className="text-ink-3" title={adminStrings.sessions.unknownCost}>
      {adminStrings.unknown}
    </span>
  );
}

const colours = { calm: 'bg-accent', warm: 'bg-amber', full: 'bg-red' };
const words = { calm: 'text-ink', warm: 'text-amber', full: 'text-red' };

/** Context fill (percent of usable): a small bar with marks at its two levels, and the figure. */
export function FillBar({ percent, className }: { readonly percent: number; readonly className?: string }) {
  const level = contextLevel(percent);
  // What is beyond it is summarized before it is used: more than all of it says nothing.
  const shown = Math.min(100, percent);
  return (
    <span className={clsx('flex items-center gap-2.5', className)}>
      <span aria-hidden className="relative h-1.5 min-w-12 flex-1 overflow-hidden rounded-[2px] bg-rule">
        <span
          className={clsx('absolute inset-y-0 left-0 transition-[width] duration-500', colours[level])}
          style={{ width: `${String(shown)}%` }}
        />
        <span className="absolute inset-y-0 left-[65%] w-px bg-paper" />
        <span className="absolute inset-y-0 left-[85%] w-px bg-paper" />
      </span>
      <span className={clsx('w-11 text-right whitespace-nowrap tabular-nums', words[level])}>{percentage(shown)}</span>
    </span>
  );
}

const marks: Record<SessionState, { readonly icon: LucideIcon; readonly className: string }> = {
  idle: { icon: Circle, className: 'text-ink-3 [&_svg]:size-2.5' },
  running: { icon: CircleDashed, className: 'text-accent [&_svg]:motion-safe:animate-[spin_4s_linear_infinite]' },
  compacting: { icon: Layers2, className: 'text-accent [&_svg]:animate-breathe' },
  waiting_approval: { icon: Hand, className: 'text-amber' },
  held: { icon: Pause, className: 'text-amber' },
  failed: { icon: TriangleAlert, className: 'text-red' },
};

/** Icon and word for the state of a session. */
export function StateMark({ state }: { readonly state: SessionState }) {
  const { icon: Icon, className } = marks[state];
  return (
    <span className={clsx('inline-flex items-center gap-1.5 whitespace-nowrap text-sm', className)}>
      <span aria-hidden className="inline-flex w-4 justify-center [&_svg]:size-3.5 [&_svg]:stroke-2">
        <Icon />
      </span>
      {adminStrings.states[state]}
    </span>
  );
}
