import { translator } from '#components/i18n.ts';
import type { SessionContext } from '#server/core/conversation/context-report';
import clsx from 'clsx';
import { contextKinds, kindColour, KindSwatch } from '#components/admin/session/context-kinds';
import { compactNumber, percentage } from '#components/format.ts';
import { contextLevel, FULL_PERCENT, levelText, WARM_PERCENT } from '#components/ui/context-level';

const t = translator('admin');

/** Places of the scale; percent of the usable tokens. */
const TICKS = [0, 25, 50, WARM_PERCENT, FULL_PERCENT, 100];
/** Places at which the context counts as getting full and as full. */
const LEVELS = new Set([WARM_PERCENT, FULL_PERCENT]);

/** A bar from zero to all usable tokens, filled with the content of the next request. */
export function ContextGauge({ context }: { readonly context: SessionContext | undefined }) {
  const percent = context?.percentUsed ?? 0;
  const counted = context ? contextKinds.reduce((sum, kind) => sum + context.breakdown[kind], 0) : 0;
  const kinds = context && counted > 0 ? contextKinds.filter((kind) => context.breakdown[kind] > 0) : [];
  return (
    <div>
      <div className="flex flex-col gap-x-5 gap-y-2 sm:flex-row sm:items-end">
        <p className={clsx('w-24 shrink-0 font-serif text-3xl tabular-nums', levelText[contextLevel(percent)])}>
          {context ? percentage(percent) : <span className="text-ink-3">–</span>}
        </p>
        <div className="relative min-w-0 sm:flex-1 sm:pb-1">
          <meter
            aria-label={t('session.gauge', { value: Math.round(percent) })}
            min={0}
            max={100}
            value={Math.min(100, percent)}
            className="sr-only"
          />
          <div aria-hidden className="relative h-4 overflow-hidden rounded-[3px] bg-desk">
            <div
              className="flex h-full transition-[width] duration-500"
              style={{ width: `${String(Math.min(100, percent))}%` }}
            >
              {kinds.map((kind) => (
                <span
                  key={kind}
                  title={t(`kinds.${kind}`)}
                  className="h-full border-r border-paper"
                  style={{
                    width: `${String(((context?.breakdown[kind] ?? 0) / counted) * 100)}%`,
                    background: kindColour(kind),
                  }}
                />
              ))}
            </div>
          </div>
          <div aria-hidden className="relative mt-0.5 h-5 text-2xs text-ink-3 tabular-nums">
            {TICKS.map((tick) => (
              <span
                key={tick}
                className={clsx(
                  'absolute flex flex-col items-center gap-0.5',
                  tick === 0 ? '' : tick === 100 ? '-translate-x-full items-end' : '-translate-x-1/2',
                  tick === 0 && 'items-start',
                )}
                style={{ left: `${String(tick)}%` }}
              >
                <span className={clsx('w-px', LEVELS.has(tick) ? 'h-2 bg-ink-2' : 'h-1 bg-rule-strong')} />
                {tick === 100 && context ? compactNumber(context.usableTokens) : `${String(tick)} %`}
              </span>
            ))}
          </div>
        </div>
      </div>
      <ul className="mt-3 flex min-h-5 flex-wrap gap-x-5 gap-y-1 text-xs text-ink-2">
        {kinds.map((kind) => (
          <li key={kind} className="flex items-center gap-1.5">
            <KindSwatch kind={kind} />
            {t(`kinds.${kind}`)}
            <span className="text-ink tabular-nums">{compactNumber(context?.breakdown[kind] ?? 0)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
