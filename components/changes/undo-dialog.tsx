import { useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { undoneSummary } from '#components/changes/change-facts.ts';
import { changesStrings } from '#components/changes/words.ts';
import { inYourWords } from '#components/served-words.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { UndoOutcome } from '#server/core/site/changes';
import { AlertDialog } from 'radix-ui';
import useSWR from 'swr';
import { Button } from '#components/ui/buttons';
import { AlertContent, AlertFrame } from '#components/ui/dialogs/confirm-dialog';
import { strings } from '#components/words.ts';
import { ConflictList, UndoAlongButton } from '#components/changes/conflict-dialog';
import { undoAlong, undoMany } from '#components/changes/undo-many.ts';

const texts = changesStrings;
const dialogTexts = texts.dialog;
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
        <Button variant="ghost">{count === 0 && data ? strings.common.close : strings.common.cancel}</Button>
      </AlertDialog.Cancel>
      {error !== undefined && !data && <Button onClick={() => void mutate()}>{strings.common.retry}</Button>}
      {undo === undefined && data !== undefined && data.conflicts.length > 0 && (
        <UndoAlongButton
          label={dialogTexts.alongAll}
          run={async () => {
            if (count > 0) await undoMany(request);
            await undoAlong(data.conflicts.map(({ change }) => change));
          }}
        />
      )}
      {count > 0 && (
        <AlertDialog.Action asChild>
          <Button variant="primary" onClick={() => void undoMany(request, undo).catch(reportFailure)}>
            {dialogTexts.confirm(count)}
          </Button>
        </AlertDialog.Action>
      )}
    </>
  );
  return (
    <AlertContent
      width="wide"
      title={title ?? dialogTexts.turnTitle}
      body={data ? whatHappens(data) : error === undefined ? dialogTexts.checking : dialogTexts.checkFailed}
      buttons={buttons}
    >
      {data && <Outcome outcome={data} />}
    </AlertContent>
  );
}

function whatHappens({ undone, conflicts }: UndoOutcome): string {
  if (undone.length > 0) return dialogTexts.body(undone.length);
  return conflicts.length > 0 ? dialogTexts.none : dialogTexts.nothing;
}

function Outcome({ outcome: { undone, conflicts } }: { readonly outcome: UndoOutcome }) {
  return (
    <div className="mt-4 flex min-h-0 flex-col gap-4 overflow-y-auto">
      {undone.length > 0 && (
        <ul
          aria-label={dialogTexts.takesBack}
          className="flex flex-col gap-1 border-l-2 border-rule-strong pl-3 text-sm"
        >
          {undone.slice(0, MAX_LISTED_CHANGES).map((undo) => (
            <li key={undo.id} className="[overflow-wrap:anywhere]">
              {inYourWords(undoneSummary(undo))}
            </li>
          ))}
          {undone.length > MAX_LISTED_CHANGES && (
            <li className="text-ink-3">{dialogTexts.more(undone.length - MAX_LISTED_CHANGES)}</li>
          )}
        </ul>
      )}
      {conflicts.length > 0 && (
        <section>
          <h3 className="text-sm font-medium">{dialogTexts.stays(conflicts.length)}</h3>
          <p className="mb-2 text-sm text-ink-3">{dialogTexts.staysBody}</p>
          <ConflictList conflicts={conflicts} />
        </section>
      )}
    </div>
  );
}
