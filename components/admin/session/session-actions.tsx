import { CompactDialog } from '#components/admin/session/compact-dialog';
import { useRef, useState } from 'react';
import { toast } from 'sonner';
import { newestActive, recordName } from '#components/admin/session/compaction-records.ts';
import type { SessionReport } from '#components/admin/session/use-session-report.ts';
import { translator } from '#components/i18n.ts';
import { api, type CompactionOptions } from '#components/api/api-client.ts';
import { ApiError } from '#components/api/api-error.ts';
import { Button } from '#components/ui/buttons';
import { refocus } from '#components/ui/focus/focus.ts';
import { useNow } from '#components/ui/hooks.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { CompactionRecord } from '#server/core/conversation/compactions';

const t = translator('admin');

interface SessionActionsProps {
  readonly id: string;
  readonly report: SessionReport;
}

/** Buttons to compact, prune and undo; during a compaction, the elapsed time and a cancel button. */
export function SessionActions({ id, report }: SessionActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const [busy, setBusy] = useState<'compact' | 'other' | null>(null);
  const { data: context } = report.context;
  const newest = newestActive(report.history.data?.compactions ?? []);
  const isCompacting = busy === 'compact' || context?.currentlyCompacting === true;
  const isWaiting = isCompacting || busy !== null;
  const actions = useRef<HTMLFieldSetElement>(null);
  /** The first action, or the element that replaces it during a compaction. */
  const firstAction = () => actions.current?.querySelector<HTMLElement>(':scope > *');

  const attempt = async (kind: 'compact' | 'other', action: () => Promise<string>) => {
    setBusy(kind);
    try {
      toast(await action());
    } catch (error) {
      if (error instanceof ApiError && error.code === 'cancelled') toastCancelled();
      else reportFailure(error);
    } finally {
      setBusy(null);
      report.refresh();
    }
  };

  return (
    <fieldset ref={actions} aria-label={t('actions.label')} className="flex flex-wrap items-center gap-2">
      {isCompacting ? (
        <Compacting
          since={context?.compactingSince ?? null}
          onCancel={() => void cancel(id).then(report.refresh)}
          onGone={() => refocus(firstAction)}
        />
      ) : (
        <Button variant="primary" disabled={context === undefined} onClick={() => setIsAsking(true)}>
          {t('actions.compact')}
        </Button>
      )}
      <Button
        disabled={context === undefined}
        isBusy={isWaiting}
        onClick={() => void attempt('other', () => prune(id))}
      >
        {t('actions.prune')}
      </Button>
      <Button
        isBusy={newest === null || isWaiting}
        onClick={() => newest && void attempt('other', () => undo(id, newest))}
      >
        {newest ? t('actions.undo', { what: recordName(newest) }) : t('actions.undoNone')}
      </Button>
      {isAsking && (
        <CompactDialog
          onStart={(options) => void attempt('compact', () => compact(id, options))}
          onClose={() => setIsAsking(false)}
          near={firstAction}
        />
      )}
    </fieldset>
  );
}

async function compact(id: string, options: CompactionOptions): Promise<string> {
  const outcome = await api.compact(id, options);
  if (outcome.status === 'skipped') return t('actions.nothing');
  if (outcome.status === 'failed') throw new Error(outcome.error ?? t('statuses.failed'));
  return t('actions.compacted', { before: outcome.tokensBefore, after: outcome.tokensAfter });
}

async function prune(id: string): Promise<string> {
  const { outputsPruned, tokensSaved } = await api.prune(id);
  return outputsPruned === 0
    ? t('actions.nothingToPrune')
    : t('actions.pruned', { outputs: outputsPruned, tokens: tokensSaved });
}

async function undo(id: string, record: CompactionRecord): Promise<string> {
  await api.undoCompaction(id, record.id);
  return t('actions.undone', { what: recordName(record) });
}

/**
 * Reports a cancelled compaction. One toast, although both the compaction and its cancellation report it to their
 * caller.
 */
function toastCancelled(): void {
  toast(t('actions.cancelled'), { id: 'compaction-cancelled' });
}

async function cancel(id: string): Promise<void> {
  try {
    if (await api.cancelCompaction(id)) toastCancelled();
    else toast(t('actions.notCancelled'));
  } catch (error) {
    reportFailure(error);
  }
}

interface CompactingProps {
  /** Epoch milliseconds; null: now. */
  readonly since: number | null;
  readonly onCancel: () => void;
  /** Called when the element unmounts while it has the focus. */
  readonly onGone: () => void;
}

function Compacting({ since, onCancel, onGone }: CompactingProps) {
  const [moveFocusOnUnmount] = useState(() => (element: HTMLElement | null) => () => {
    if (element?.contains(document.activeElement)) onGone();
  });
  const [mounted] = useState(() => Date.now());
  const now = useNow(1000);
  const seconds = Math.max(0, Math.floor(((now ?? mounted) - (since ?? mounted)) / 1000));
  return (
    // Receives the focus after the start: if the cancel button did, the next Enter would cancel the compaction.
    <div
      ref={moveFocusOnUnmount}
      tabIndex={-1}
      className="flex h-8 items-center gap-3 rounded-md border border-rule-strong pl-3 text-sm"
    >
      <output className="motion-safe:animate-breathe">{t('actions.compacting')}</output>
      <span aria-hidden className="text-ink-2 tabular-nums">
        {t('actions.seconds', { seconds })}
      </span>
      <Button variant="ghost" className="text-red" onClick={onCancel}>
        {t('actions.cancel')}
      </Button>
    </div>
  );
}
