import { CompactDialog } from '#components/admin/session/compact-dialog';
import { useRef, useState } from 'react';
import { toast } from '#components/toast';
import { newestActive, recordName } from '#components/admin/session/compaction-records';
import type { SessionReport } from '#components/admin/session/use-session-report';
import { adminStrings } from '#components/admin/words';
import { api, type CompactionOptions } from '#components/api/api-client';
import { ApiError } from '#components/api/api-error';
import { Button } from '#components/ui/buttons';
import { refocus } from '#components/ui/focus';
import { useNow } from '#components/ui/hooks';
import { reportFailure } from '#components/ui/toasts';
import type { CompactionRecord } from '#server/core/compactions';

const say = adminStrings.actions;

interface SessionActionsProps {
  readonly id: string;
  readonly report: SessionReport;
}

/** Compact, prune, undo; while a summary is being made, how long it has taken and its end. */
export function SessionActions({ id, report }: SessionActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const [busy, setBusy] = useState<'compact' | 'other' | null>(null);
  const { data: context } = report.context;
  const newest = newestActive(report.history.data?.compactions ?? []);
  const isCompacting = busy === 'compact' || context?.currentlyCompacting === true;
  const isWaiting = isCompacting || busy !== null;
  const actions = useRef<HTMLFieldSetElement>(null);
  /** The first of the actions, or what stands in its place while a summary is made. */
  const first = () => actions.current?.querySelector<HTMLElement>(':scope > *');

  const attempt = async (kind: 'compact' | 'other', action: () => Promise<string>) => {
    setBusy(kind);
    try {
      toast(await action());
    } catch (error) {
      if (error instanceof ApiError && error.code === 'cancelled') tellCancelled();
      else reportFailure(error);
    } finally {
      setBusy(null);
      report.refresh();
    }
  };

  return (
    <fieldset ref={actions} aria-label={say.label} className="flex flex-wrap items-center gap-2">
      {isCompacting ? (
        <Compacting
          since={context?.compactingSince ?? null}
          onCancel={() => void cancel(id).then(report.refresh)}
          onGone={() => refocus(first)}
        />
      ) : (
        <Button variant="primary" disabled={context === undefined} onClick={() => setIsAsking(true)}>
          {say.compact}
        </Button>
      )}
      <Button
        disabled={context === undefined}
        isBusy={isWaiting}
        onClick={() => void attempt('other', () => prune(id))}
      >
        {say.prune}
      </Button>
      <Button
        isBusy={newest === null || isWaiting}
        onClick={() => newest && void attempt('other', () => undo(id, newest))}
      >
        {newest ? say.undo(recordName(newest)) : say.undoNone}
      </Button>
      {isAsking && (
        <CompactDialog
          onStart={(options) => void attempt('compact', () => compact(id, options))}
          onClose={() => setIsAsking(false)}
          near={first}
        />
      )}
    </fieldset>
  );
}

async function compact(id: string, options: CompactionOptions): Promise<string> {
  const outcome = await api.compact(id, options);
  if (outcome.status === 'skipped') return say.nothing;
  if (outcome.status === 'failed') throw new Error(outcome.error ?? adminStrings.statuses.failed);
  return say.compacted(outcome.tokensBefore, outcome.tokensAfter);
}

async function prune(id: string): Promise<string> {
  const { outputsPruned, tokensSaved } = await api.prune(id);
  return outputsPruned === 0 ? say.nothingToPrune : say.pruned(outputsPruned, tokensSaved);
}

async function undo(id: string, record: CompactionRecord): Promise<string> {
  await api.undoCompaction(id, record.id);
  return say.undone(recordName(record));
}

/** Tells it once: the same person may have asked for the compaction and cancelled it. */
function tellCancelled(): void {
  toast(say.cancelled, { id: 'compaction-cancelled' });
}

async function cancel(id: string): Promise<void> {
  try {
    if (await api.cancelCompaction(id)) tellCancelled();
    else toast(say.notCancelled);
  } catch (error) {
    reportFailure(error);
  }
}

interface CompactingProps {
  /** Epoch milliseconds; null: since now. */
  readonly since: number | null;
  readonly onCancel: () => void;
  /** Called when it goes with the focus in it. */
  readonly onGone: () => void;
}

function Compacting({ since, onCancel, onGone }: CompactingProps) {
  const [passOn] = useState(() => (element: HTMLElement | null) => () => {
    if (element?.contains(document.activeElement)) onGone();
  });
  const [mounted] = useState(() => Date.now());
  const now = useNow(1000);
  const seconds = Math.max(0, Math.floor(((now ?? mounted) - (since ?? mounted)) / 1000));
  return (
    // The focus rests on it: on the button, the next Enter would end what was just begun.
    <div
      ref={passOn}
      tabIndex={-1}
      className="flex h-8 items-center gap-3 rounded-md border border-rule-strong pl-3 text-sm"
    >
      <output className="motion-safe:animate-breathe">{say.compacting}</output>
      <span aria-hidden className="text-ink-2 tabular-nums">
        {say.seconds(seconds)}
      </span>
      <Button variant="ghost" className="text-red" onClick={onCancel}>
        {say.cancel}
      </Button>
    </div>
  );
}
