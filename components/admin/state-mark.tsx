import { translator } from '#components/i18n.ts';
import type { SessionState } from '#server/core/conversation/session-overview';
import clsx from 'clsx';
import { Circle, CircleDashed, Hand, Layers2, type LucideIcon, Pause, TriangleAlert } from 'lucide-react';

const t = translator('admin.states');

const marks: Record<SessionState, { readonly icon: LucideIcon; readonly className: string }> = {
  idle: { icon: Circle, className: 'text-ink-3 [&_svg]:size-2.5' },
  running: { icon: CircleDashed, className: 'text-accent [&_svg]:motion-safe:animate-[spin_4s_linear_infinite]' },
  compacting: { icon: Layers2, className: 'text-accent [&_svg]:animate-breathe' },
  waiting_approval: { icon: Hand, className: 'text-amber' },
  held: { icon: Pause, className: 'text-amber' },
  failed: { icon: TriangleAlert, className: 'text-red' },
};

/** Icon and label for the state of a session. */
export function StateMark({ state }: { readonly state: SessionState }) {
  const { icon: Icon, className } = marks[state];
  return (
    <span className={clsx('inline-flex items-center gap-1.5 whitespace-nowrap text-sm', className)}>
      <span aria-hidden className="inline-flex w-4 justify-center [&_svg]:size-3.5 [&_svg]:stroke-2">
        <Icon />
      </span>
      {t(state)}
    </span>
  );
}
