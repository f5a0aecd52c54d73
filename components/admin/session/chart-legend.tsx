import clsx from 'clsx';
import type { ChartPoint } from '#components/admin/session/chart-points.ts';
import type { ChartMark } from '#components/admin/session/chart-mark-places.ts';
import { type ContextKind, KindSwatch } from '#components/admin/session/context-kinds';
import { type MarkKind, MarkSign } from '#components/admin/session/mark-sign';
import { translator } from '#components/i18n.ts';
import { number } from '#components/format.ts';

const t = translator('admin');

const markKinds: readonly MarkKind[] = ['compaction', 'prune', 'failed', 'undone'];

interface ChartLegendProps {
  /** Kinds from the bottom of the stack. */
  readonly kinds: readonly ContextKind[];
  readonly last: ChartPoint | undefined;
  readonly marks: readonly ChartMark[];
  readonly highlighted: ContextKind | null;
  readonly onHighlight: (kind: ContextKind | null) => void;
}

/** Legend of the colours, in the order of the stack, with the latest figures. Pressing a kind highlights it. */
export function ChartLegend({ kinds, last, marks, highlighted, onHighlight }: ChartLegendProps) {
  const present = markKinds.filter((kind) => marks.some((mark) => mark.kind === kind));
  return (
    <div className="text-xs lg:pt-8">
      <ul aria-label={t('chart.legend')} className="grid grid-cols-2 gap-x-6 sm:grid-cols-3 lg:grid-cols-1">
        {kinds.toReversed().map((kind) => (
          <li key={kind}>
            <button
              type="button"
              aria-pressed={highlighted === kind}
              onClick={() => onHighlight(highlighted === kind ? null : kind)}
              className={clsx(
                'flex w-full items-center gap-2 border-b border-rule py-1.5 text-left hover:bg-ink/4',
                highlighted !== null && highlighted !== kind && 'opacity-55',
              )}
            >
              <KindSwatch kind={kind} />
              <span className="text-ink-2">{t(`kinds.${kind}`)}</span>
              <span className="ml-auto tabular-nums">{number.format(Math.round(last?.[kind] ?? 0))}</span>
            </button>
          </li>
        ))}
        <li className="flex items-center py-1.5 font-medium">
          {t('chart.total')}
          <span className="ml-auto tabular-nums">{number.format(last?.total ?? 0)}</span>
        </li>
      </ul>
      <ul aria-hidden className="mt-3 flex flex-wrap gap-x-4 gap-y-1.5 text-ink-2">
        <li className="flex items-center gap-2">
          <svg viewBox="0 0 18 4" className="w-4.5">
            <path d="M0 2 H18" strokeWidth="1.5" strokeDasharray="5 4" style={{ stroke: 'var(--ink)' }} />
          </svg>
          {t('chart.usableLine')}
        </li>
        <li className="flex items-center gap-2">
          <svg viewBox="0 0 18 4" className="w-4.5">
            <path d="M0 2 H18" strokeWidth="1.5" style={{ stroke: 'var(--ink-2)' }} />
          </svg>
          {t('chart.windowLine')}
        </li>
        {present.map((kind) => (
          <li key={kind} className="flex items-center gap-2">
            <svg viewBox="-10 -10 20 20" className="size-4">
              <MarkSign kind={kind} />
            </svg>
            {t(`chart.key.${kind}`)}
          </li>
        ))}
      </ul>
    </div>
  );
}
