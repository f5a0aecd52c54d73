import clsx from 'clsx';
import { Clock, Paperclip, PencilLine, SendHorizontal, X } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { toast } from 'sonner';
import { translator } from '#components/i18n.ts';
import { api } from '#components/api/api-client.ts';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { keepSent, returnToDraft, settleSent } from '#components/chat/session/drafts.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { focusAtEnd, refocus } from '#components/ui/focus/focus.ts';
import { submitKeys } from '#components/ui/keys.ts';
import { toastWithAction } from '#components/ui/dialogs/toasts';
import { reportQueueFailure } from '#components/chat/composer/report-send-failure.ts';
import type { QueueData } from '#server/core/conversation/events';
import type { HoldReason } from '#server/core/conversation/turns';

const tQueue = translator('queue');
const t = translator('attachment');
const tShared = translator('shared');

interface QueueListProps {
  readonly session: ChatSession;
  readonly queue: QueueData;
  readonly isRunning: boolean;
}

interface Edit {
  readonly id: string;
  readonly original: string;
  readonly text: string;
}

/** Key of an edited queued message among the texts that are being sent. */
const keptId = (queuedId: string): string => `edit:${queuedId}`;

/** Messages that wait for the running turn or, after a stop, for the user; each can be changed until it is sent. */
export function QueueList({ session, queue, isRunning }: QueueListProps) {
  const [edit, setEdit] = useState<Edit | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const { items, held } = queue;
  const isEditedGone = edit !== null && !items.some(({ id }) => id === edit.id);

  /** Moves the edited text to the message field of the conversation; false if nothing was changed. */
  const returnEdit = (left: Edit): boolean => {
    const isChanged = left.text.trim() !== left.original;
    if (isChanged) returnToDraft(session.id, left.text);
    settleSent(session.id, keptId(left.id));
    return isChanged;
  };
  const saveEdit = useEffectEvent(() => {
    if (edit && returnEdit(edit)) toast(tQueue('editTooLate'));
  });
  useEffect(() => {
    if (!isEditedGone) return;
    saveEdit();
    refocus();
  }, [isEditedGone]);

  const keepEdit = useEffectEvent(() => {
    if (edit && !isEditedGone) returnEdit(edit);
  });
  // If the user opens another conversation, the edited text is in the composer when they return.
  useEffect(() => () => keepEdit(), []);

  const attempt = (request: Promise<unknown>) => void request.catch(reportQueueFailure).finally(() => refocus());
  const remove = async (request: Promise<unknown>, texts: readonly string[]) => {
    await request;
    const written = texts.filter((text) => text !== '').join('\n\n');
    const said = tQueue('removed', { count: texts.length });
    if (written === '') toast(said);
    else toastWithAction(said, tQueue('putBack'), () => returnToDraft(session.id, written));
  };
  const changeEdit = (changed: Edit) => {
    setEdit(changed);
    // If the page is left before the response, the next page restores the text in its field.
    keepSent(session.id, { id: keptId(changed.id), text: changed.text.trim(), after: '' });
  };
  const endEdit = () => {
    const place = items.findIndex(({ id }) => id === edit?.id);
    setEdit(null);
    refocus(() => list.current?.children[place]?.querySelector<HTMLElement>('[data-queued="edit"]'));
  };
  const finishEdit = ({ id, original, text }: Edit) => {
    endEdit();
    if (text.trim() === '' || text.trim() === original) return settleSent(session.id, keptId(id));
    const keep = (error: unknown) => {
      returnToDraft(session.id, text.trim());
      throw error;
    };
    const saved = session
      .changeQueue(() => api.queue.edit(id, { role: 'user', parts: [{ type: 'text', text: text.trim() }] }))
      .catch(keep);
    attempt(saved.finally(() => settleSent(session.id, keptId(id))));
  };
  const cancelEdit = () => {
    if (edit) settleSent(session.id, keptId(edit.id));
    endEdit();
  };

  return (
    <>
      {/* Rendered while empty: otherwise screen readers would not announce the first queued message. */}
      <output className="sr-only">{items.length > 0 && tQueue('count', { count: items.length })}</output>
      {items.length > 0 && (
        <section className="mx-3 rounded-t-xl border border-b-0 border-rule-strong bg-paper">
          <header className="flex min-h-10 items-center gap-2 pt-1 pr-2 pl-3 text-sm">
            <h2 className="flex min-w-0 flex-1 items-center gap-2 font-medium">
              <span>{held ? tQueue('held') : tQueue('title')}</span>
              <span
                aria-hidden
                title={tQueue('count', { count: items.length })}
                className="rounded-full bg-accent-wash px-1.5 text-2xs text-accent tabular-nums"
              >
                {items.length}
              </span>
            </h2>
            {held && (
              <Button
                variant="primary"
                className="h-7!"
                onClick={() => attempt(session.changeQueue(() => api.queue.release(session.id)))}
              >
                {tQueue('sendAll')}
              </Button>
            )}
            <Button
              variant="ghost"
              className="h-7!"
              onClick={() =>
                attempt(
                  remove(
                    session.changeQueue(() => api.queue.clear(session.id)),
                    items.map(({ text }) => text),
                  ),
                )
              }
            >
              {tQueue('clear')}
            </Button>
          </header>
          {held && <p className="px-3 pb-1 text-xs text-ink-2">{tQueue('heldBody')}</p>}
          <ol ref={list} aria-label={tQueue('label')} className="max-h-60 overflow-y-auto px-3 pb-1.5">
            {items.map((item, index) => (
              <QueueRow
                key={item.id}
                text={edit?.id === item.id ? edit.text : item.text}
                files={item.files}
                heldReason={item.heldReason ?? null}
                place={index + 1}
                isEditing={edit?.id === item.id}
                isRunning={isRunning}
                onEdit={(text) => changeEdit({ id: item.id, original: item.text, text })}
                onEdited={() => edit && finishEdit(edit)}
                onCancelEdit={cancelEdit}
                onSend={() => attempt(session.changeQueue(() => api.queue.send(item.id)))}
                onRemove={() =>
                  attempt(
                    remove(
                      session.changeQueue(() => api.queue.remove(item.id)),
                      [item.text],
                    ),
                  )
                }
              />
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

interface QueueRowProps {
  readonly text: string;
  /** Names of the attached files. */
  readonly files: readonly string[];
  /** Reason why only the user can send it; null if it is sent automatically. */
  readonly heldReason: HoldReason | null;
  /** Counts from 1. */
  readonly place: number;
  readonly isEditing: boolean;
  /** True while a turn runs; nothing can be sent before it ends. */
  readonly isRunning: boolean;
  readonly onEdit: (text: string) => void;
  readonly onEdited: () => void;
  readonly onCancelEdit: () => void;
  readonly onSend: () => void;
  readonly onRemove: () => void;
}

function QueueRow(props: QueueRowProps) {
  const { text, files, heldReason, place, isEditing, isRunning } = props;
  if (isEditing) return <EditRow {...props} />;
  const isNext = place === 1;
  return (
    <li className="flex animate-rise items-center gap-2 text-sm">
      <Clock aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      <span title={text} className="min-w-0 flex-1 truncate">
        {text}
        {files.length > 0 && <Files names={files} isAll={text === ''} />}
      </span>
      {heldReason === null ? (
        <span className="shrink-0 text-xs text-ink-3 max-sm:sr-only">
          {isNext ? tQueue('waiting') : tQueue('waitingAfter', { position: place })}
        </span>
      ) : (
        <span className="shrink-0 text-xs text-amber">{tQueue(`heldReasons.${heldReason}`)}</span>
      )}
      <span className="flex shrink-0">
        {!(isRunning && isNext && heldReason === null) && (
          <IconButton
            label={isRunning ? tQueue('sendNext') : tQueue('sendNow')}
            icon={<SendHorizontal aria-hidden />}
            onClick={props.onSend}
          />
        )}
        <IconButton
          data-queued="edit"
          label={tQueue('edit')}
          icon={<PencilLine aria-hidden />}
          onClick={() => props.onEdit(text)}
        />
        <IconButton label={tQueue('remove')} icon={<X aria-hidden />} onClick={props.onRemove} />
      </span>
    </li>
  );
}

function Files({ names, isAll }: { readonly names: readonly string[]; readonly isAll: boolean }) {
  return (
    <span title={names.join(', ')} className={clsx('text-xs text-ink-3', !isAll && 'ml-2')}>
      <Paperclip aria-hidden className="mr-1 inline size-3" />
      <span className="sr-only">{t('label')}: </span>
      {names.join(', ')}
    </span>
  );
}

function EditRow({ text, onEdit, onEdited, onCancelEdit }: QueueRowProps) {
  return (
    <li className="py-1">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onEdited();
        }}
        className="flex flex-col gap-2"
      >
        <textarea
          ref={focusAtEnd}
          rows={1}
          value={text}
          aria-label={tQueue('editLabel')}
          onChange={(event) => onEdit(event.target.value)}
          onKeyDown={submitKeys(onEdited, onCancelEdit)}
          className="field-sizing-content max-h-32 w-full resize-none rounded-md border border-accent bg-sheet px-2 py-1 text-base outline-none"
        />
        <div className="flex justify-end gap-2">
          <Button variant="ghost" onClick={onCancelEdit}>
            {tShared('common.cancel')}
          </Button>
          <Button type="submit" variant="primary">
            {tShared('common.save')}
          </Button>
        </div>
      </form>
    </li>
  );
}
