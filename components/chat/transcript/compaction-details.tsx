import clsx from 'clsx';
import { Undo2 } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { Markdown } from '#components/chat/transcript/markdown';
import { undoCompaction } from '#components/context/compaction-notices.ts';
import { Disclosure } from '#components/ui/controls/disclosure';
import { Button } from '#components/ui/buttons';
import { strategyName } from '#components/ui/compaction-words.ts';
import { duration } from '#components/ui/times.ts';
import { number } from '#components/format.ts';
import { useFirst } from '#components/ui/hooks.ts';
import { useApi } from '#components/api/use-api.ts';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { CompactionDetail } from '#server/core/conversation/context-report';

const t = translator('compaction');
const tCompactionFacts = translator('compactionFacts');
const tShared = translator('shared');

/** Number of items of a long list drawn at first. A choice, not measured. */
const INITIAL_ITEMS = 6;

interface CompactionDetailsProps {
  readonly session: ChatSession;
  readonly compactionId: string;
}

/** Result of one compaction: the summary, the user's words, the ledger, the kept messages, figures, and undo. */
export function CompactionDetails({ session, compactionId }: CompactionDetailsProps) {
  const key = paths.compaction(session.id, compactionId);
  const { data: detail, error, mutate } = useApi(key);
  if (!detail) {
    if (!error) return <p className="text-sm text-ink-3">{t('detailsLoading')}</p>;
    return (
      <div className="flex flex-wrap items-center gap-3 text-sm text-ink-2">
        {t('detailsFailed')}
        <Button onClick={() => void mutate()}>{tShared('common.retry')}</Button>
      </div>
    );
  }
  const { compaction, summary, kept } = detail;
  return (
    <div className="flex flex-col gap-5 text-sm">
      {summary && (
        <Part title={t('summary')}>
          <div className="manuscript-small">
            <Markdown text={summary.text} isOpen={false} />
          </div>
        </Part>
      )}
      {summary && summary.userWords.length > 0 && (
        <Part title={t('userWords')}>
          <ItemList
            items={summary.userWords}
            render={(words, index) => (
              <li key={index} className="border-l-2 border-accent/50 pl-3 font-serif text-base whitespace-pre-wrap">
                <Clamped text={words} />
              </li>
            )}
          />
        </Part>
      )}
      {summary && summary.ledger.length > 0 && (
        <Part title={t('ledger')}>
          <ItemList
            items={summary.ledger}
            render={(line, index) => (
              <li key={index} className="break-words">
                {line}
              </li>
            )}
          />
        </Part>
      )}
      {kept.length > 0 && (
        <Fold title={t('kept', { count: kept.length })}>
          <ItemList
            items={kept}
            render={({ messageId, role, preview }) => (
              <li key={messageId} className="flex gap-2">
                <span className="w-16 shrink-0 text-ink-3">{t(`roles.${role}`)}</span>
                <span className="min-w-0 break-words">{preview}</span>
              </li>
            )}
          />
        </Fold>
      )}
      <Fold title={t('figuresTitle')}>
        <Figures compaction={compaction} />
      </Fold>
      <UndoRow session={session} detail={detail} onDone={() => void mutate()} />
    </div>
  );
}

function Figures({ compaction }: { readonly compaction: CompactionRecord }) {
  const { tokensBefore, tokensAfter, messagesCompacted, durationMs, modelId, strategy, trigger } = compaction;
  const rows = [
    [t('figures.tokens'), tCompactionFacts('change', { before: tokensBefore, after: tokensAfter })],
    [t('figures.messages'), number.format(messagesCompacted)],
    [t('figures.duration'), duration(durationMs)],
    [t('figures.writer'), modelId === null ? t('withoutModel') : t('byModel', { model: modelId })],
    [t('figures.strategy'), strategyName(strategy)],
    [t('figures.reason'), tCompactionFacts(`reasons.${trigger}`)],
  ];
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-x-6 gap-y-3">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt className="text-xs text-ink-3">{name}</dt>
          <dd className="tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function UndoRow({ session, detail, onDone }: { session: ChatSession; detail: CompactionDetail; onDone: () => void }) {
  const [isBusy, setIsBusy] = useState(false);
  const { compaction, canUndo } = detail;
  const undo = async () => {
    setIsBusy(true);
    await undoCompaction(session, compaction.id);
    setIsBusy(false);
    onDone();
  };
  if (compaction.status === 'undone') return <p className="text-ink-2">{t('takenBack')}</p>;
  const isCompacting = session.getState().compactingSince !== null;
  const reason = isCompacting ? t('cannotUndoNow') : t('cannotUndo');
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-rule pt-4">
      <p className="text-ink-2">{canUndo ? t('undoHint') : reason}</p>
      <Button disabled={!canUndo || isBusy} onClick={() => void undo()}>
        <Undo2 aria-hidden className="size-4" />
        {t('undo')}
      </Button>
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId}>
      <h2 id={titleId} className="mb-1.5 text-xs font-medium text-ink-3">
        {title}
      </h2>
      {children}
    </section>
  );
}

function Fold({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Disclosure title={title} look="quiet">
      <div className="mt-2 border-l border-rule-strong pl-4">{children}</div>
    </Disclosure>
  );
}

interface ItemListProps<Item> {
  readonly items: readonly Item[];
  /** Equal items may occur more than once, so only their positions distinguish them. */
  readonly render: (item: Item, index: number) => ReactNode;
}

/** A list that shows its first items, and the others on request. */
function ItemList<Item>({ items, render }: ItemListProps<Item>) {
  const { shown, hidden, showAll } = useFirst(items, INITIAL_ITEMS);
  return (
    <>
      <ul className="flex flex-col gap-1.5">{shown.map(render)}</ul>
      {hidden > 0 && (
        <Button variant="ghost" className="mt-1.5 -ml-3" onClick={showAll}>
          {t('more', { count: hidden })}
        </Button>
      )}
    </>
  );
}

/** Shortens a long request, which may be as long as a page. */
function Clamped({ text }: { readonly text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = text.length > 500 || text.split('\n').length > 6;
  return (
    <>
      <span className={clsx('block break-words', isLong && !isWhole && 'line-clamp-5')}>{text}</span>
      {isLong && !isWhole && (
        <button
          type="button"
          className="rounded font-sans text-sm text-accent hover:underline"
          onClick={() => setIsWhole(true)}
        >
          {t('showAll')}
        </button>
      )}
    </>
  );
}
