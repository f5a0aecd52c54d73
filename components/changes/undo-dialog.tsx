import { toast } from '#components/toast';
import { showWritten } from '#components/desk/content-cache';
import { useState } from 'react';
import { api, type UndoAllRequest } from '#components/api/api-client';
import { undoneSummary, whoMade } from '#components/changes/change-facts';
import { changesStrings } from '#components/changes/words';
import { inYourWords } from '#components/served-words';
import { reportFailure, toastWithAction } from '#components/ui/toasts';
import type { ChangeSet, Conflict, UndoOutcome } from '#server/core/changes';
import { AlertDialog } from 'radix-ui';
import useSWR from 'swr';
import { Button } from '#components/ui/buttons';
import { AlertContent, AlertFrame } from '#components/ui/dialogs';
import { dayAndTime } from '#components/ui/times';
import { strings } from '#components/words';

const say = changesStrings;
const dialogWords = say.dialog;
/** Most changes listed by name; the rest is counted. */
const MOST = 12;

/** Part of a conversation to undo. */
export interface UndoSelection {
  readonly sessionId: string;
  /** Null: all of it. */
  readonly turnId: string | null;
}

interface UndoDialogProps {
  readonly selection: UndoSelection;
  /** Default: that it is of a conversation, or of a turn. */
  readonly title?: string;
  /** Sends the request. Default: for a conversation. */
  readonly undo?: (() => Promise<UndoOutcome>) | undefined;
  readonly onClose: () => void;
}

/** Asks before several changes are undone. The server says first which these are, and which stay and why. */
export function UndoDialog({ selection, onClose, ...words }: UndoDialogProps) {
  return (
    <AlertFrame open onOpenChange={(open) => !open && onClose()}>
      <Content selection={selection} {...words} />
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
      {error !== undefined && !data && <Button onClick={() => void mutate()}>{strings.common.retry}</Button>}
      {undo === undefined && data !== undefined && data.conflicts.length > 0 && (
        <UndoAlongButton
          label={dialogWords.alongAll}
          run={async () => {
            if (count > 0) await undoMany(request);
            await undoAlong(data.conflicts.map(({ change }) => change));
          }}
        />
      )}
      {count > 0 && (
        <AlertDialog.Action asChild>
          <Button variant="primary" onClick={() => void undoMany(request, undo).catch(reportFailure)}>
            {dialogWords.confirm(count)}
          </Button>
        </AlertDialog.Action>
      )}
    </>
  );
  return (
    <AlertContent
      width="wide"
      title={title ?? dialogWords.turnTitle}
      body={data ? whatHappens(data) : error === undefined ? dialogWords.checking : dialogWords.checkFailed}
      buttons={buttons}
    >
      {data && <Outcome outcome={data} />}
    </AlertContent>
  );
}

function whatHappens({ undone, conflicts }: UndoOutcome): string {
  if (undone.length > 0) return dialogWords.body(undone.length);
  return conflicts.length > 0 ? dialogWords.none : dialogWords.nothing;
}

function Outcome({ outcome: { undone, conflicts } }: { readonly outcome: UndoOutcome }) {
  return (
    <div className="mt-4 flex min-h-0 flex-col gap-4 overflow-y-auto">
      {undone.length > 0 && (
        <ul
          aria-label={dialogWords.takesBack}
          className="flex flex-col gap-1 border-l-2 border-rule-strong pl-3 text-sm"
        >
          {undone.slice(0, MOST).map((undo) => (
            <li key={undo.id} className="[overflow-wrap:anywhere]">
              {inYourWords(undoneSummary(undo))}
            </li>
          ))}
          {undone.length > MOST && <li className="text-ink-3">{dialogWords.more(undone.length - MOST)}</li>}
        </ul>
      )}
      {conflicts.length > 0 && (
        <section>
          <h3 className="text-sm font-medium">{dialogWords.stays(conflicts.length)}</h3>
          <p className="mb-2 text-sm text-ink-3">{dialogWords.staysBody}</p>
          <ConflictList conflicts={conflicts} />
        </section>
      )}
    </div>
  );
}

interface ConflictDialogProps {
  readonly conflict: Conflict;
  readonly onClose: () => void;
}

/** Explains why a change could not be undone or redone: who changed the same thing later. */
export function ConflictDialog({ conflict, onClose }: ConflictDialogProps) {
  return (
    <AlertFrame open onOpenChange={(open) => !open && onClose()}>
      <ConflictContent conflict={conflict} />
    </AlertFrame>
  );
}

function ConflictContent({ conflict }: { readonly conflict: Conflict }) {
  const isRedo = conflict.change.undoneBy !== null;
  const canTakeAlong = !isRedo && conflict.blockedBy.length > 0;
  return (
    <AlertContent
      width="medium"
      title={isRedo ? dialogWords.redoConflictTitle : dialogWords.conflictTitle}
      body={isRedo ? dialogWords.redoConflictBody : dialogWords.conflictBody}
      buttons={
        <>
          <AlertDialog.Cancel asChild>
            <Button variant="ghost">{canTakeAlong ? strings.common.cancel : strings.common.close}</Button>
          </AlertDialog.Cancel>
          {canTakeAlong && <UndoAlongButton label={dialogWords.along} run={() => undoAlong([conflict.change])} />}
        </>
      }
    >
      <div className="mt-4 min-h-0 overflow-y-auto">
        <ConflictList conflicts={[conflict]} />
      </div>
    </AlertContent>
  );
}

interface UndoAlongProps {
  readonly label: string;
  readonly run: () => Promise<void>;
}

/** Undoes changes with the later ones that stand in their way. All of it can be redone. */
function UndoAlongButton({ label, run }: UndoAlongProps) {
  return (
    <AlertDialog.Action asChild>
      <Button variant="primary" onClick={() => void run().catch(reportFailure)}>
        {label}
      </Button>
    </AlertDialog.Action>
  );
}

interface ConflictListProps {
  readonly conflicts: readonly Conflict[];
}

/** Changes that an undo leaves in place, each with the author of the later change. */
function ConflictList({ conflicts }: ConflictListProps) {
  const staying = new Set(conflicts.map(({ change }) => change.id));
  return (
    <ul className="flex flex-col gap-3">
      {conflicts.map(({ change, blockedBy, message }) => (
        <li key={change.id} className="border-l-2 border-amber pl-3 text-sm">
          <p className="[overflow-wrap:anywhere]">{inYourWords(change.summary)}</p>
          {blockedBy.length === 0 ? (
            <p className="text-ink-3">{message}</p>
          ) : (
            <ul aria-label={say.dialog.later} className="mt-0.5 text-ink-3">
              {blockersFrom(blockedBy, staying).map((later) => (
                <li key={later.id} className="[overflow-wrap:anywhere]">
                  {say.dialog.laterBy(whoMade(later.origin), dayAndTime(later.createdAt))}: {inYourWords(later.summary)}
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Blocking changes without those that stay only because of them. */
function blockersFrom(blockedBy: readonly ChangeSet[], staying: ReadonlySet<string>): readonly ChangeSet[] {
  const others = blockedBy.filter(({ id }) => !staying.has(id));
  return others.length > 0 ? others : blockedBy;
}

/**
 * Undoes changes together with all later ones in the same places: all or nothing.
 * @throws ApiError
 */
async function undoAlong(changes: readonly ChangeSet[]): Promise<void> {
  const [sessionId] = changes.flatMap(({ origin }) => origin.sessionId ?? []);
  const { undone } = await api.undoThese({ changeIds: changes.map(({ id }) => id), along: true, sessionId });
  showWritten(undone);
  toastWithAction(say.undoneMany(undone.length), say.redo, () => redoMany(undone, sessionId));
}

/**
 * Undoes what is possible of a session or some of its turns.
 * @param undo sends the request
 * @throws ApiError
 */
async function undoMany(
  request: UndoAllRequest,
  undo: () => Promise<UndoOutcome> = () => api.undoAll({ ...request, partial: true }),
): Promise<void> {
  const { undone } = await undo();
  showWritten(undone);
  toastWithAction(say.undoneMany(undone.length), say.redo, () => redoMany(undone, request.sessionId));
}

/** Takes undos back, each to the content as it was before it. @throws ApiError, 409 where something later would be lost */
async function redoMany(undos: readonly ChangeSet[], sessionId: string | undefined): Promise<void> {
  const { undone } = await api.undoThese({ changeIds: undos.map(({ id }) => id), sessionId });
  showWritten(undone);
  toast(say.redoneMany(undone.length));
}
