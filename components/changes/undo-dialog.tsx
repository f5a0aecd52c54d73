import { AlertDialog } from 'radix-ui';
import { useState } from 'react';
import useSWR from 'swr';
import { ConflictList } from '#components/changes/conflict-list';
import { AlertContent, AlertFrame } from '#components/ui/alert-frame';
import { Button } from '#components/ui/button';
import { api } from '#lib/api/api-client';
import { undoMany } from '#lib/changes/undo-actions';
import { takenBack } from '#lib/changes/group-changes';
import { reportFailure } from '#lib/ui/report-failure';
import { strings } from '#lib/strings';
import { changesStrings } from '#lib/strings/changes';
import type { UndoOutcome } from '#server/core/content';

const say = changesStrings.dialog;
/** What would be taken back is listed up to here; the rest is counted. */
const MOST = 12;

/** What of a conversation is to be taken back. */
export interface UndoSelection {
  readonly sessionId: string;
  /** Null: all of it. */
  readonly turnId: string | null;
}

interface UndoDialogProps {
  /** Null: closed. */
  readonly selection: UndoSelection | null;
  /** Default: that it is of a conversation, or of a turn. */
  readonly title?: string;
  /** How it is asked for. Default: as for a conversation. */
  readonly undo?: (() => Promise<UndoOutcome>) | undefined;
  readonly onClose: () => void;
}

/** Asks before several changes are taken back; the server says first which those are, and which stay and why. */
export function UndoDialog({ selection, onClose, ...words }: UndoDialogProps) {
  return (
    <AlertFrame open={selection !== null} onOpenChange={(open) => !open && onClose()}>
      {selection !== null && <Content selection={selection} {...words} />}
    </AlertFrame>
  );
}

type ContentProps = Pick<UndoDialogProps, 'title' | 'undo'> & { readonly selection: UndoSelection };

function Content({ selection: { sessionId, turnId }, title, undo }: ContentProps) {
  // What was true the last time it was asked is not shown, not even for a moment.
  const [asked] = useState(() => crypto.randomUUID());
  const request = { sessionId, ...(turnId !== null && { turnIds: [turnId] }), partial: true };
  const { data, error, mutate } = useSWR<UndoOutcome>(['what an undo does', asked], {
    fetcher: () => api.undoAll({ ...request, dryRun: true }),
  });
  const count = data?.undone.length ?? 0;
  const buttons = (
    <>
      <AlertDialog.Cancel asChild>
        <Button variant="ghost">{count === 0 && data ? strings.common.close : strings.common.cancel}</Button>
      </AlertDialog.Cancel>
      {error !== undefined && !data && <Button onClick={() => void mutate()}>{changesStrings.retry}</Button>}
      {count > 0 && (
        <AlertDialog.Action asChild>
          <Button variant="danger" onClick={() => void undoMany(request, undo).catch(reportFailure)}>
            {say.confirm(count)}
          </Button>
        </AlertDialog.Action>
      )}
    </>
  );
  return (
    <AlertContent
      width="wide"
      title={title ?? (turnId === null ? say.sessionTitle : say.turnTitle)}
      body={data ? whatHappens(data) : error === undefined ? say.checking : say.checkFailed}
      buttons={buttons}
    >
      {data && <Outcome outcome={data} />}
    </AlertContent>
  );
}

function whatHappens({ undone, conflicts }: UndoOutcome): string {
  if (undone.length > 0) return say.body(undone.length);
  return conflicts.length > 0 ? say.none : say.nothing;
}

function Outcome({ outcome: { undone, conflicts } }: { readonly outcome: UndoOutcome }) {
  return (
    <div className="mt-4 flex min-h-0 flex-col gap-4 overflow-y-auto">
      {undone.length > 0 && (
        <ul aria-label={say.takesBack} className="flex flex-col gap-1 border-l-2 border-rule-strong pl-3 text-sm">
          {undone.slice(0, MOST).map((undo) => (
            <li key={undo.id} className="[overflow-wrap:anywhere]">
              {takenBack(undo)}
            </li>
          ))}
          {undone.length > MOST && <li className="text-ink-3">{say.more(undone.length - MOST)}</li>}
        </ul>
      )}
      {conflicts.length > 0 && (
        <section>
          <h3 className="text-sm font-medium">{say.stays(conflicts.length)}</h3>
          <p className="mb-2 text-sm text-ink-3">{say.staysBody}</p>
          <ConflictList conflicts={conflicts} />
        </section>
      )}
    </div>
  );
}
