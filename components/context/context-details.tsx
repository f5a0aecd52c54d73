import clsx from 'clsx';
import { Button } from '#components/ui/button';
import type { SessionContext } from '#lib/api-client';
import { contextLevel } from '#lib/context-level';
import { compactNumber } from '#lib/format';
import { strings } from '#lib/strings';
import type { ContextBreakdown, PruneData } from '#server/core/events';

const order = Object.keys(strings.context.parts) as (keyof ContextBreakdown)[];
const bars = { calm: 'bg-accent', warm: 'bg-amber', full: 'bg-red' };

interface ContextDetailsProps {
  readonly context: SessionContext;
  readonly lastPrune: PruneData | null;
  readonly isCompacting: boolean;
  /** Absent while a turn runs. */
  readonly onCompact: (() => void) | null;
}

/** What fills the context, and the command to summarize it. */
export function ContextDetails({ context, lastPrune, isCompacting, onCompact }: ContextDetailsProps) {
  const level = contextLevel(context.percentUsed);
  return (
    <div className="flex flex-col gap-3">
      <header>
        <div className="flex items-baseline justify-between">
          <h2 className="font-serif text-lg font-medium">{strings.context.title}</h2>
          <span className="text-sm tabular-nums">{context.percentUsed} %</span>
        </div>
        <div className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-rule">
          <div
            className={clsx('h-full rounded-full', bars[level])}
            style={{ width: `${String(Math.min(100, context.percentUsed))}%` }}
          />
        </div>
        <p className="mt-2 text-sm text-ink-2">{strings.context.of(context.currentTokens, context.usableTokens)}</p>
        <p className="text-xs text-ink-3">{strings.context.window(context.contextWindow, context.outputReserve)}</p>
      </header>
      <Breakdown breakdown={context.breakdown} />
      <p className="text-xs text-ink-3">
        {context.source === 'reported' ? strings.context.reported : strings.context.estimated}
        {context.compactionCount > 0 && ` · ${strings.context.rounds(context.compactionCount)}`}
        {lastPrune && ` · ${strings.context.pruned(lastPrune.outputsPruned, lastPrune.tokensSaved)}`}
      </p>
      <div className="flex flex-col gap-2 border-t border-rule pt-3">
        <p className="text-xs text-ink-3">{strings.context.explain}</p>
        <Button disabled={onCompact === null || isCompacting} onClick={() => onCompact?.()}>
          {isCompacting ? strings.context.compacting : strings.context.compact}
        </Button>
      </div>
    </div>
  );
}

function Breakdown({ breakdown }: { readonly breakdown: ContextBreakdown }) {
  const rows = order.filter((key) => breakdown[key] > 0);
  const most = Math.max(1, ...rows.map((key) => breakdown[key]));
  return (
    <dl className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-1 text-sm">
      {rows.map((key) => (
        <div key={key} className="contents">
          <dt className="text-ink-2">{strings.context.parts[key]}</dt>
          <dd
            aria-hidden
            className="h-1 rounded-full bg-accent/45"
            style={{ width: `${String((breakdown[key] / most) * 100)}%` }}
          />
          <dd className="text-right tabular-nums">{compactNumber(breakdown[key])}</dd>
        </div>
      ))}
    </dl>
  );
}
