import clsx from 'clsx';
import { ArrowUpRight, TriangleAlert } from 'lucide-react';
import { undoCompaction } from '#lib/chat/compact-now';
import { Button } from '#components/ui/button';
import type { SessionContext } from '#lib/api/api-client';
import type { ChatSession } from '#lib/chat/chat-session';
import { contextLevel } from '#lib/chat/context-level';
import { compactNumber } from '#lib/ui/format';
import { adminSessionPath } from '#lib/desk/navigation';
import { strings } from '#lib/strings';
import type { ContextBreakdown, PruneData } from '#server/core/events';

const order = Object.keys(strings.context.parts) as (keyof ContextBreakdown)[];
const bars = { calm: 'bg-accent', warm: 'bg-amber', full: 'bg-red' };

interface ContextDetailsProps {
  readonly session: ChatSession;
  readonly context: SessionContext;
  readonly lastPrune: PruneData | null;
  readonly isCompacting: boolean;
  /** Absent while a turn runs. */
  readonly onCompact: (() => void) | null;
}

/** What fills the context, and the command to summarize it. */
export function ContextDetails({ session, context, lastPrune, isCompacting, onCompact }: ContextDetailsProps) {
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
      {context.warning !== null && (
        <p className="flex gap-2 rounded-md bg-amber/10 px-2.5 py-2 text-xs text-ink">
          <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0 text-amber" />
          {context.warning}
        </p>
      )}
      <Breakdown breakdown={context.breakdown} />
      <Figures context={context} />
      <p className="text-xs text-ink-3">
        {context.source === 'reported' ? strings.context.reported : strings.context.estimated}
        {context.compactionCount > 0 && ` · ${strings.context.rounds(context.compactionCount)}`}
      </p>
      {lastPrune && <LastPrune session={session} prune={lastPrune} />}
      <div className="flex flex-col gap-2 border-t border-rule pt-3">
        <p className="text-xs text-ink-3">{strings.context.explain}</p>
        <div className="flex gap-2">
          <Button className="flex-1" disabled={onCompact === null || isCompacting} onClick={() => onCompact?.()}>
            {isCompacting ? strings.context.compacting : strings.context.compact}
          </Button>
          <a
            href={adminSessionPath(session.id)}
            className="inline-flex h-8 items-center gap-1 rounded-md px-3 text-sm font-medium text-ink-2 hover:bg-ink/6 hover:text-ink"
          >
            {strings.context.details}
            <ArrowUpRight aria-hidden className="size-3.5" />
          </a>
        </div>
      </div>
    </div>
  );
}

/** What providers do not say is said to be unknown, never guessed. */
function Figures({ context: { cost, cachedShare } }: { readonly context: SessionContext }) {
  const { unknownValue, dollars, share } = strings.context;
  const total = cost.total ?? null;
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-1 border-t border-rule pt-3 text-sm">
      <dt className="text-ink-2">{strings.context.cost}</dt>
      <dd className={clsx('text-right tabular-nums', total === null && 'text-ink-3')}>
        {total === null ? unknownValue : dollars(total)}
      </dd>
      <dt className="text-ink-2" title={strings.context.cachedHint}>
        {strings.context.cached}
      </dt>
      <dd className={clsx('text-right tabular-nums', cachedShare === null && 'text-ink-3')}>
        {cachedShare === null ? unknownValue : share(cachedShare)}
      </dd>
    </dl>
  );
}

function LastPrune({ session, prune }: { readonly session: ChatSession; readonly prune: PruneData }) {
  const { compactionId, outputsPruned, tokensSaved } = prune;
  return (
    <p className="flex items-center justify-between gap-2 text-xs text-ink-3">
      {strings.context.pruned(outputsPruned, tokensSaved)}
      {compactionId !== null && (
        <button
          type="button"
          className="rounded font-medium text-accent hover:underline"
          onClick={() => void undoCompaction(session, compactionId)}
        >
          {strings.compaction.undo}
        </button>
      )}
    </p>
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
