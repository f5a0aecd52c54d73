import clsx from 'clsx';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { Cost } from '#components/admin/cost';
import { gainPercent, isPrune, recordName } from '#components/admin/session/compaction-records.ts';
import { markKind, MarkSign } from '#components/admin/session/mark-sign';
import { translator } from '#components/i18n.ts';
import { localizedText } from '#components/message-text.ts';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { Markdown } from '#components/chat/transcript/markdown';
import { Button } from '#components/ui/buttons';
import { strategyName } from '#components/ui/compaction-words.ts';
import { duration } from '#components/ui/times.ts';
import { useFirst } from '#components/ui/hooks.ts';
import { LoadFailed } from '#components/ui/notices';
import { ScrollBox, TimeAgo } from '#components/ui/page-parts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { useApi } from '#components/api/use-api.ts';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { CompactionDetail } from '#server/core/conversation/context-report';

const t = translator('admin');
const tCompactionFacts = translator('compactionFacts');

/** Id of the HTML element that shows a compaction or prune, for links to it. */
export function compactionElementId(compactionId: string): string {
  return `round-${compactionId}`;
}

interface CompactionEntryProps {
  readonly sessionId: string;
  readonly record: CompactionRecord;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  /** Called after an undo. */
  readonly onChanged: () => void;
}

/** One compaction or prune: its gain and, if expanded, everything that it produced. */
export function CompactionEntry({ sessionId, record, isOpen, onOpenChange, onChanged }: CompactionEntryProps) {
  const name = recordName(record);
  const detailId = `${compactionElementId(record.id)}-detail`;
  const error = record.error === null ? null : localizedText(record.errorMessage, record.error);
  return (
    <li id={compactionElementId(record.id)} className="scroll-mt-20 border-t border-rule first:border-t-0">
      <div className="relative grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 py-4 lg:grid-cols-[1.5rem_minmax(0,15rem)_minmax(0,1fr)_minmax(0,18rem)] lg:gap-x-6">
        <svg aria-hidden viewBox="-10 -10 20 20" className="mt-0.5 size-6">
          <MarkSign kind={markKind(record)} />
        </svg>
        <div>
          <h3 className="flex items-baseline gap-2 font-serif text-lg/6">
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={detailId}
              onClick={() => onOpenChange(!isOpen)}
              className="inline-flex items-center gap-1 rounded text-left after:absolute after:inset-0"
            >
              {name}
              <ChevronRight
                aria-hidden
                className={clsx('size-4 text-ink-3 transition-transform', isOpen && 'rotate-90')}
              />
            </button>
          </h3>
          <p className="text-sm text-ink-2">
            <Status record={record} />
            <span className="ml-2 text-ink-3">
              <TimeAgo time={record.createdAt} />
            </span>
          </p>
        </div>
        <div className="col-start-2 mt-2 lg:col-start-3 lg:mt-0">
          <p className="text-sm text-ink-2">
            {tCompactionFacts(`reasons.${record.trigger}`)}
            {!isPrune(record) && ` · ${strategyName(record.strategy)}`}
          </p>
          <Facts record={record} />
        </div>
        <div className="col-start-2 mt-3 lg:col-start-4 lg:mt-0.5">
          <Change record={record} />
        </div>
        {error !== null && (
          <p
            className={clsx(
              'col-start-2 mt-2 text-sm [overflow-wrap:anywhere] whitespace-pre-line lg:col-span-3',
              record.status === 'failed' ? 'text-red' : 'text-ink-2',
            )}
          >
            {record.status === 'failed' ? error : t('rounds.refused', { attempts: error })}
          </p>
        )}
      </div>
      <div id={detailId}>{isOpen && <RoundDetail sessionId={sessionId} record={record} onChanged={onChanged} />}</div>
    </li>
  );
}

const statusColours = { completed: 'text-ink-2', failed: 'text-red font-medium', undone: 'text-ink-2 line-through' };

function Status({ record: { status } }: { readonly record: CompactionRecord }) {
  return <span className={statusColours[status]}>{t(`statuses.${status}`)}</span>;
}

/** Time, model, cost and number of messages of a compaction. */
function Facts({ record }: { readonly record: CompactionRecord }) {
  const covers = isPrune(record)
    ? t('rounds.outputs', { count: record.prunedPartIds.length })
    : record.messagesCompacted > 0
      ? t('rounds.covers', { messages: record.messagesCompacted })
      : null;
  return (
    <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-ink-3 tabular-nums">
      {covers !== null && <span>{covers}</span>}
      <span>{duration(record.durationMs)}</span>
      {record.modelId !== null && <span>{record.modelId}</span>}
      {record.usage !== null && (
        <span>{t('rounds.inOut', { input: record.usage.inputTokens, output: record.usage.outputTokens })}</span>
      )}
      {record.usage?.cost !== undefined && <Cost amount={record.usage.cost} />}
    </p>
  );
}

/** Tokens before and after, as figures and as two bars. */
function Change({ record }: { readonly record: CompactionRecord }) {
  const gain = gainPercent(record);
  if (gain === null) {
    return (
      <p className="text-right text-sm text-ink-3 tabular-nums max-lg:text-left">
        {t('request.tokens', { tokens: record.tokensBefore })}
      </p>
    );
  }
  const share = Math.min(100, (record.tokensAfter / record.tokensBefore) * 100);
  return (
    <div className={clsx(record.status === 'undone' && 'opacity-60')}>
      <p className="flex justify-between gap-3 text-sm tabular-nums">
        <span>{tCompactionFacts('change', { before: record.tokensBefore, after: record.tokensAfter })}</span>
        <span className="text-ink-2">
          {t(gain >= 0 ? 'rounds.gain' : 'rounds.loss', { share: Math.round(Math.abs(gain)) })}
        </span>
      </p>
      <div aria-hidden className="mt-1.5 h-1.5 rounded-[2px] bg-rule-strong">
        <div className="h-full rounded-[2px] bg-accent" style={{ width: `${String(share)}%` }} />
      </div>
    </div>
  );
}

/** Number of lines of a list shown at first. A choice, not measured. */
const INITIAL_LINES = 8;

interface RoundDetailProps {
  readonly sessionId: string;
  readonly record: CompactionRecord;
  readonly onChanged: () => void;
}

/** Everything that a compaction or prune produced and kept. Reloaded when the record changes. */
function RoundDetail({ sessionId, record, onChanged }: RoundDetailProps) {
  const { data, error, mutate } = useApi(paths.compaction(sessionId, record.id));
  if (data === undefined) {
    if (error === undefined) return <p className="pb-6 pl-9 text-sm text-ink-3">{t('rounds.loading')}</p>;
    return <LoadFailed title={t('rounds.failed')} onRetry={() => void mutate()} />;
  }
  const canUndo = data.canUndo && record.status === 'completed';
  const changed = () => {
    void mutate();
    onChanged();
  };
  const { summary, kept, cleared } = data;
  return (
    <div className="grid animate-rise gap-x-12 gap-y-8 pt-2 pb-10 pl-9 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="min-w-0">
        {summary && (
          <Block title={t('rounds.summary')}>
            <ScrollBox
              label={t('rounds.summary')}
              className="max-h-[40rem] rounded-lg border border-rule bg-sheet px-5 py-4 [&_.manuscript]:text-base"
            >
              <Markdown text={summary.text} isOpen={false} />
            </ScrollBox>
          </Block>
        )}
        {!summary && cleared.length > 0 && <Cleared detail={data} />}
        {canUndo && <UndoButton sessionId={sessionId} record={record} onChanged={changed} />}
      </div>
      <div className="flex min-w-0 flex-col gap-8">
        {summary && (
          <>
            <Block title={t('rounds.ledger')} hint={t('rounds.ledgerHint')}>
              <Lines lines={summary.ledger} />
            </Block>
            <Block title={t('rounds.userWords')} hint={t('rounds.userWordsHint')}>
              <Lines lines={summary.userWords} isQuote />
            </Block>
          </>
        )}
        {summary && cleared.length > 0 && <Cleared detail={data} />}
        {kept.length > 0 && (
          <Block title={t('rounds.kept')}>
            <Lines lines={kept.map((message) => `${t(`request.roles.${message.role}`)}: ${message.preview}`)} />
          </Block>
        )}
      </div>
    </div>
  );
}

function Cleared({ detail }: { readonly detail: CompactionDetail }) {
  return (
    <Block title={t('rounds.cleared')}>
      <Lines
        lines={detail.cleared.map((output) => `${output.toolName}: ${t('request.tokens', { tokens: output.tokens })}`)}
      />
    </Block>
  );
}

interface BlockProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

function Block({ title, hint, children }: BlockProps) {
  return (
    <section>
      <h4 className="text-sm font-medium">
        {title}
        {hint !== undefined && <span className="ml-2 font-normal text-ink-3">{hint}</span>}
      </h4>
      <div className="mt-2">{children}</div>
    </section>
  );
}

function Lines({ lines, isQuote = false }: { readonly lines: readonly string[]; readonly isQuote?: boolean }) {
  const { shown, hidden, showAll } = useFirst(lines, INITIAL_LINES);
  if (lines.length === 0) return <p className="text-sm text-ink-3">{t('rounds.none')}</p>;
  return (
    <>
      <ul className="text-sm text-ink-2">
        {shown.map((line, index) => (
          <li
            key={index}
            className={
              isQuote
                ? 'mb-2 line-clamp-6 border-l-2 border-rule-strong pl-3 font-serif text-base text-ink [overflow-wrap:anywhere]'
                : 'line-clamp-3 border-t border-rule py-1.5 [overflow-wrap:anywhere] first:border-t-0'
            }
          >
            {line}
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button type="button" onClick={showAll} className="mt-1 text-sm text-accent underline underline-offset-3">
          {t('rounds.more', { count: hidden })}
        </button>
      )}
    </>
  );
}

function UndoButton({ sessionId, record, onChanged }: RoundDetailProps) {
  const [isBusy, setIsBusy] = useState(false);
  const undo = async () => {
    setIsBusy(true);
    try {
      await api.undoCompaction(sessionId, record.id);
      toast(t('actions.undone', { what: recordName(record) }));
    } catch (error) {
      reportFailure(error);
    } finally {
      setIsBusy(false);
      onChanged();
    }
  };
  return (
    <Button
      className="mt-5"
      isBusy={isBusy}
      aria-label={t('rounds.undoLabel', { what: recordName(record) })}
      onClick={() => void undo()}
    >
      {t('rounds.undo')}
    </Button>
  );
}
