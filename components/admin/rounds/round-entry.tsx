import clsx from 'clsx';
import { ChevronRight } from 'lucide-react';
import { MarkSign } from '#components/admin/chart/mark-sign';
import { Cost } from '#components/admin/cost';
import { RoundDetail } from '#components/admin/rounds/round-detail';
import { TimeAgo } from '#components/admin/time-ago';
import { markKind } from '#lib/admin/chart-marks';
import { gainPercent, isPrune, recordName, triggerWords } from '#lib/admin/compaction-words';
import { duration } from '#lib/ui/format';
import { adminStrings } from '#lib/strings/admin';
import type { CompactionRecord } from '#server/core/compactions';

const say = adminStrings.rounds;

/** The element of a round in the page. */
export function roundElementId(compactionId: string): string {
  return `round-${compactionId}`;
}

interface RoundEntryProps {
  readonly sessionId: string;
  readonly record: CompactionRecord;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly onChanged: () => void;
}

/** One compaction or prune: what it was and what it gained, and unfolded all that it made. */
export function RoundEntry({ sessionId, record, isOpen, onOpenChange, onChanged }: RoundEntryProps) {
  const name = recordName(record);
  const detailId = `${roundElementId(record.id)}-detail`;
  return (
    <li id={roundElementId(record.id)} className="scroll-mt-20 border-t border-rule first:border-t-0">
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
            {triggerWords(record)}
            {!isPrune(record) && ` · ${say.strategy(record.strategy)}`}
          </p>
          <Facts record={record} />
        </div>
        <div className="col-start-2 mt-3 lg:col-start-4 lg:mt-0.5">
          <Change record={record} />
        </div>
        {record.error !== null && (
          <p className="col-start-2 mt-2 text-sm text-red [overflow-wrap:anywhere] lg:col-span-3">{record.error}</p>
        )}
      </div>
      <div id={detailId}>{isOpen && <RoundDetail sessionId={sessionId} record={record} onChanged={onChanged} />}</div>
    </li>
  );
}

const statusColours = { completed: 'text-ink-2', failed: 'text-red font-medium', undone: 'text-ink-2 line-through' };

function Status({ record: { status } }: { readonly record: CompactionRecord }) {
  return <span className={statusColours[status]}>{adminStrings.statuses[status]}</span>;
}

/** What it took: time, model, money, and how much it covered. */
function Facts({ record }: { readonly record: CompactionRecord }) {
  const covers = isPrune(record)
    ? say.outputs(record.prunedPartIds.length)
    : record.messagesCompacted > 0
      ? say.covers(record.messagesCompacted)
      : null;
  return (
    <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-ink-3 tabular-nums">
      {covers !== null && <span>{covers}</span>}
      <span>{duration(record.durationMs)}</span>
      {record.modelId !== null && <span>{record.modelId}</span>}
      {record.usage !== null && <span>{say.inOut(record.usage.inputTokens, record.usage.outputTokens)}</span>}
      {record.usage?.cost !== undefined && <Cost amount={record.usage.cost} />}
    </p>
  );
}

/** Before and after, as figures and as two bars. */
function Change({ record }: { readonly record: CompactionRecord }) {
  const gain = gainPercent(record);
  if (gain === null) {
    return (
      <p className="text-right text-sm text-ink-3 tabular-nums max-lg:text-left">
        {adminStrings.request.tokens(record.tokensBefore)}
      </p>
    );
  }
  const share = Math.min(100, (record.tokensAfter / record.tokensBefore) * 100);
  return (
    <div className={clsx(record.status === 'undone' && 'opacity-60')}>
      <p className="flex justify-between gap-3 text-sm tabular-nums">
        <span>{say.change(record.tokensBefore, record.tokensAfter)}</span>
        <span className="text-ink-2">{say.gain(gain)}</span>
      </p>
      <div aria-hidden className="mt-1.5 h-1.5 rounded-[2px] bg-rule-strong">
        <div className="h-full rounded-[2px] bg-accent" style={{ width: `${String(share)}%` }} />
      </div>
    </div>
  );
}
