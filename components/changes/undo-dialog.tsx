import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { api } from '#components/api/api-client.ts';
import { undoneSummary } from '#components/changes/change-facts.ts';
import { summaryText } from '#components/message-text.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { UndoOutcome } from '#server/core/site/changes';
import { AlertDialog } from 'radix-ui';
import useSWR from 'swr';
import { Button } from '#components/ui/buttons';
import { AlertContent, AlertFrame } from '#components/ui/dialogs/confirm-dialog';
import { ConflictList, UndoAlongButton } from '#components/changes/conflict-dialog';
import { undoAlong, undoMany } from '#components/changes/undo-many.ts';

const t = translator('changes');
const tShared = translator('shared');

/** Most changes listed by name; the rest are counted. A choice, not measured. */
const MAX_LISTED_CHANGES = 12;

/** Part of a conversation to undo. */
export interface UndoSelection {
  readonly sessionId: string;
  /** Null: the whole conversation. */
  readonly turnId: string | null;
}

interface UndoDialogProps {
  readonly selection: UndoSelection;
  /** Default: a title for a conversation or a turn. */
  readonly title?: string;
  /** Sends the request. Default: the request for a conversation. */
  readonly undo?: (() => Promise<UndoOutcome>) | undefined;
  readonly onClose: () => void;
}

/**
 * Confirmation before several changes are undone. The server first reports which changes are affected, and which stay
 * and why.
 */
export function UndoDialog({ selection, onClose, ...words }: UndoDialogProps) {
  return (
    <AlertFrame open onOpenChange={(open) => !open && onClose()}>
      <Content selection={selection} {...words} />
    </AlertFrame>
  );
}

interface ContentProps {
  /** Default: a title for a conversation or a turn. */
  readonly title?: string;
  /** Sends the request. Default: the request for a conversation. */
  readonly undo?: (() => Promise<UndoOutcome>) | undefined;
  readonly selection: UndoSelection;
}

function Content({ selection: { sessionId, turnId }, title, undo }: ContentProps) {
  // A new key for each opening, so that the cached result of an earlier dry run is never shown.
  const [dryRunKey] = useState(() => crypto.randomUUID());
  const request = { sessionId, ...(turnId !== null && { turnIds: [turnId] }), partial: true };
  const { data, error, mutate } = useSWR(['undo dry run', dryRunKey], () => api.undoAll({ ...request, dryRun: true }));
  const count = data?.undone.length ?? 0;
  const buttons = (
    <>
      <AlertDialog.Cancel asChild>
        <Button variant="ghost">{count === 0 && data ? tShared('common.close') : tShared('common.cancel')}</Button>
      </AlertDialog.Cancel>
      {error !== undefined && !data && <Button onClick={() => void mutate()}>{tShared('common.retry')}</Button>}
      {undo === undefined && data !== undefined && data.conflicts.length > 0 && (
        <UndoAlongButton
          label={t('dialog.alongAll')}
          run={async () => {
            if (count > 0) await undoMany(request);
            await undoAlong(data.conflicts.map(({ change }) => change));
          }}
        />
      )}
      {count > 0 && (
        <AlertDialog.Action asChild>
          <Button variant="primary" onClick={() => void undoMany(request, undo).catch(reportFailure)}>
            {t('dialog.confirm', { count })}
          </Button>
        </AlertDialog.Action>
      )}
    </>
  );
  return (
    <AlertContent
      width="wide"
      title={title ?? t('dialog.turnTitle')}
      body={data ? whatHappens(data) : error === undefined ? t('dialog.checking') : t('dialog.checkFailed')}
      buttons={buttons}
    >
      {data && <Outcome outcome={data} />}
    </AlertContent>
  );
}

function whatHappens({ undone, conflicts }: UndoOutcome): string {
  if (undone.length > 0) return t('dialog.body', { count: undone.length });
  return conflicts.length > 0 ? t('dialog.none') : t('dialog.nothing');
}

function Outcome({ outcome: { undone, conflicts } }: { readonly outcome: UndoOutcome }) {
  return (
    <div className="mt-4 flex min-h-0 flex-col gap-4 overflow-y-auto">
      {undone.length > 0 && (
        <ul
          aria-label={t('dialog.takesBack')}
          className="flex flex-col gap-1 border-l-2 border-rule-strong pl-3 text-sm"
        >
          {undone.slice(0, MAX_LISTED_CHANGES).map((undo) => (
            <li key={undo.id} className="[overflow-wrap:anywhere]">
              {summaryText(undoneSummary(undo))}
            </li>
          ))}
          {undone.length > MAX_LISTED_CHANGES && (
            <li className="text-ink-3">{t('dialog.more', { count: undone.length - MAX_LISTED_CHANGES })}</li>
          )}
        </ul>
      )}
      {conflicts.length > 0 && (
        <section>
          <h3 className="text-sm font-medium">{t('dialog.stays', { count: conflicts.length })}</h3>
          <p className="mb-2 text-sm text-ink-3">{t('dialog.staysBody')}</p>
          <ConflictList conflicts={conflicts} />
        </section>
      )}
    </div>
  );
}
