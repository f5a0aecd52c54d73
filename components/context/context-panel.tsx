import clsx from 'clsx';
import { ArrowUpRight, TriangleAlert, X } from 'lucide-react';
import type { SessionContext } from '#server/core/conversation/context-report';
import { translator } from '#components/i18n.ts';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { compactNow, undoCompaction } from '#components/context/compaction-notices.ts';
import { type ContextMeterProps, useSessionContext } from '#components/context/context-meter';
import { adminSessionPath } from '#components/workspace/navigation.ts';
import { localizedText } from '#components/message-text.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { compactNumber, dollars, percentage, shownPercent } from '#components/format.ts';
import type { ContextBreakdown, PruneData } from '#server/core/conversation/events';
import { contextLevel, levelBar } from '#components/ui/context-level';
import { PreferenceList } from '#components/context/preference-list';

const t = translator('composer');
const tCompaction = translator('compaction');
const tContext = translator('context');
const tShared = translator('shared');

interface ContextPanelProps extends ContextMeterProps {
  /** The last prune of the conversation in this tab; null: none. */
  readonly lastPrune: PruneData | null;
  /** True while a turn runs. */
  readonly isRunning: boolean;
  readonly isCompacting: boolean;
  readonly onClose: () => void;
}

/**
 * Breakdown of the context above the message field: it reduces the height of the transcript and covers nothing. Escape
 * closes it.
 */
export function ContextPanel({ lastPrune, isRunning, isCompacting, onClose, ...props }: ContextPanelProps) {
  const context = useSessionContext(props);
  return (
    <dialog
      open
      ref={takeFocus}
      tabIndex={-1}
      aria-label={tContext('title')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
      className="static mx-0 mb-2 max-h-[min(30rem,55dvh)] w-full max-w-none animate-rise overflow-y-auto rounded-xl border border-rule bg-sheet p-4 text-ink outline-none"
    >
      {context ? (
        <ContextDetails
          session={props.session}
          context={context}
          lastPrune={lastPrune}
          isCompacting={isCompacting}
          onCompact={isRunning ? null : () => void compactNow(props.session)}
          onClose={onClose}
        />
      ) : (
        <p className="text-sm text-ink-2">{t('memory.unknown')}</p>
      )}
    </dialog>
  );
}

/** Takes the focus on mount, and returns it to the button on unmount unless it has moved elsewhere. */
function takeFocus(element: HTMLElement | null): () => void {
  element?.focus({ preventScroll: true });
  return () => {
    if (element?.contains(document.activeElement) === true || document.activeElement === document.body)
      document.querySelector<HTMLElement>('[data-meter]')?.focus({ preventScroll: true });
  };
}

/** Parts of the context in display order. */
const order = [
  'instructions',
  'tools',
  'user',
  'assistant',
  'reasoning',
  'toolCalls',
  'toolResults',
  'media',
  'situation',
  'summary',
] as const satisfies readonly (keyof ContextBreakdown)[];

interface ContextDetailsProps {
  readonly session: ChatSession;
  readonly context: SessionContext;
  readonly lastPrune: PruneData | null;
  readonly isCompacting: boolean;
  /** Null while a turn runs. */
  readonly onCompact: (() => void) | null;
  readonly onClose: () => void;
}

/** Parts of the context, and the button to summarize it. */
function ContextDetails({ session, context, lastPrune, isCompacting, onCompact, onClose }: ContextDetailsProps) {
  const level = contextLevel(context.percentUsed);
  return (
    <div className="flex flex-col gap-3">
      <header>
        <div className="flex items-center gap-3">
          <h2 className="flex-1 font-serif text-lg font-medium">{tContext('title')}</h2>
          <span className="text-sm tabular-nums">
            {t('memory.percent', { percent: shownPercent(context.percentUsed) })}
          </span>
          <IconButton label={tShared('common.close')} icon={<X aria-hidden />} onClick={onClose} className="-mr-2" />
        </div>
        <div className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-rule">
          <div
            className={clsx('h-full rounded-full', levelBar[level])}
            style={{ width: `${String(Math.min(100, context.percentUsed))}%` }}
          />
        </div>
        {context.percentUsed > 100 && <p className="mt-2 text-sm text-ink-2">{tContext('tooMuch')}</p>}
        <p className="mt-2 text-sm text-ink-2">
          {tContext('of', { current: context.currentTokens, usable: context.usableTokens })}
        </p>
        <p className="text-xs text-ink-3">
          {tContext('window', { window: context.contextWindow, reserve: context.outputReserve })}
        </p>
      </header>
      <div className="flex flex-col gap-2">
        <p className="text-xs text-ink-3">{tContext('explain')}</p>
        <div className="flex gap-2">
          <Button className="flex-1" disabled={onCompact === null || isCompacting} onClick={() => onCompact?.()}>
            {isCompacting ? tContext('compacting') : tContext('compact')}
          </Button>
          <a
            href={adminSessionPath(session.id)}
            className="inline-flex h-8 items-center gap-1 rounded-md px-3 text-sm font-medium text-ink-2 hover:bg-ink/6 hover:text-ink"
          >
            {tContext('details')}
            <ArrowUpRight aria-hidden className="size-3.5" />
          </a>
        </div>
      </div>
      {context.warning !== null && (
        <p className="flex gap-2 rounded-md bg-amber/10 px-2.5 py-2 text-xs text-ink">
          <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0 text-amber" />
          {localizedText(context.warningMessage, context.warning)}
        </p>
      )}
      <div className="border-t border-rule pt-3">
        <Breakdown breakdown={context.breakdown} />
      </div>
      <Figures context={context} />
      <p className="text-xs text-ink-3">
        {context.source === 'reported' ? tContext('reported') : tContext('estimated')}
        {context.compactionCount > 0 && ` · ${tContext('rounds', { count: context.compactionCount })}`}
      </p>
      <PreferenceList sessionId={session.id} />
      {lastPrune && <LastPrune session={session} prune={lastPrune} />}
    </div>
  );
}

/** Figures of the context; values that the provider does not report are shown as unknown. */
function Figures({ context: { cost, cachedShare } }: { readonly context: SessionContext }) {
  const total = cost.total ?? null;
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-1 border-t border-rule pt-3 text-sm">
      <dt className="text-ink-2">{tContext('cost')}</dt>
      <dd className={clsx('text-right tabular-nums', total === null && 'text-ink-3')}>
        {total === null ? tContext('unknownValue') : dollars(total)}
      </dd>
      <dt className="text-ink-2" title={tContext('cachedHint')}>
        {tContext('cached')}
      </dt>
      <dd className={clsx('text-right tabular-nums', cachedShare === null && 'text-ink-3')}>
        {cachedShare === null ? tContext('unknownValue') : percentage(cachedShare * 100)}
      </dd>
    </dl>
  );
}

function LastPrune({ session, prune }: { readonly session: ChatSession; readonly prune: PruneData }) {
  const { compactionId, outputsPruned, tokensSaved } = prune;
  return (
    <p className="flex items-center justify-between gap-2 text-xs text-ink-3">
      {tContext('pruned', { outputs: outputsPruned, tokens: tokensSaved })}
      {compactionId !== null && (
        <button
          type="button"
          className="rounded font-medium text-accent hover:underline"
          onClick={() => void undoCompaction(session, compactionId)}
        >
          {tCompaction('undo')}
        </button>
      )}
    </p>
  );
}

function Breakdown({ breakdown }: { readonly breakdown: ContextBreakdown }) {
  const rows = order.filter((key) => breakdown[key] > 0);
  const largest = Math.max(1, ...rows.map((key) => breakdown[key]));
  return (
    <dl className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-1 text-sm">
      {rows.map((key) => (
        <div key={key} className="contents">
          <dt className="text-ink-2">{tContext(`parts.${key}`)}</dt>
          <dd
            aria-hidden
            className="h-1 rounded-full bg-accent/45"
            style={{ width: `${String((breakdown[key] / largest) * 100)}%` }}
          />
          <dd className="text-right tabular-nums">{compactNumber(breakdown[key])}</dd>
        </div>
      ))}
    </dl>
  );
}
