import clsx from 'clsx';
import { KindSwatch } from '#components/admin/chart/kind-swatch';
import { contextKinds, kindColour } from '#lib/admin/context-kinds';
import type { SessionContext } from '#lib/api/api-client';
import { contextLevel } from '#lib/chat/context-level';
import { compactNumber } from '#lib/ui/format';
import { adminStrings } from '#lib/strings/admin';

const words = { calm: 'text-ink', warm: 'text-amber', full: 'text-red' };
const TICKS = [0, 25, 50, 65, 85, 100];
const LEVELS = new Set([65, 85]);

/** A ruler from nothing to all usable tokens, filled with what the next request consists of. */
export function ContextGauge({ context }: { readonly context: SessionContext | undefined }) {
  const percent = context?.percentUsed ?? 0;
  const counted = context ? contextKinds.reduce((sum, kind) => sum + context.breakdown[kind], 0) : 0;
  const kinds = context && counted > 0 ? contextKinds.filter((kind) => context.breakdown[kind] > 0) : [];
  return (
    <div>
      <div className="flex flex-col gap-x-5 gap-y-2 sm:flex-row sm:items-end">
        <p className={clsx('w-24 shrink-0 font-serif text-3xl tabular-nums', words[contextLevel(percent)])}>
          {context ? adminStrings.percent(percent) : <span className="text-ink-3">–</span>}
        </p>
        <div className="relative min-w-0 sm:flex-1 sm:pb-1">
          <meter
            aria-label={adminStrings.session.gauge(percent)}
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
                  title={adminStrings.kinds[kind]}
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
            {adminStrings.kinds[kind]}
            <span className="text-ink tabular-nums">{compactNumber(context?.breakdown[kind] ?? 0)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
