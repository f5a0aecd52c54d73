import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { toast } from 'sonner';
import { QueueRow } from '#components/chat/queue-row';
import { Button } from '#components/ui/button';
import type { ChatSession } from '#lib/chat/chat-session';
import { keepSent, returnToDraft, settleSent } from '#lib/chat/drafts';
import { refocus } from '#lib/focus/refocus';
import { reportQueueFailure } from '#lib/ui/report-failure';
import { strings } from '#lib/strings';
import { toastWithAction } from '#lib/ui/toast-with-action';
import type { QueueData } from '#server/core/events';

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

/** Of the changed words of a waiting message among the texts on their way. */
const keptId = (queuedId: string): string => `edit:${queuedId}`;

/** Messages that wait for the running turn or, after a stop, for the user; each can be changed until it is sent. */
export function QueueList({ session, queue, isRunning }: QueueListProps) {
  const [edit, setEdit] = useState<Edit | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const { items, held } = queue;
  const isEditedGone = edit !== null && !items.some(({ id }) => id === edit.id);

  /** Written into the field of the conversation; false where nothing was changed. */
  const returnEdit = (left: Edit): boolean => {
    const isChanged = left.text.trim() !== left.original;
    if (isChanged) returnToDraft(session.id, left.text);
    settleSent(session.id, keptId(left.id));
    return isChanged;
  };
  const saveEdit = useEffectEvent(() => {
    if (edit && returnEdit(edit)) toast(strings.queue.editTooLate);
  });
  useEffect(() => {
    if (!isEditedGone) return;
    saveEdit();
    refocus();
  }, [isEditedGone]);

  const keepEdit = useEffectEvent(() => {
    if (edit && !isEditedGone) returnEdit(edit);
  });
  // Whoever goes to another conversation finds their words in the composer when they are back.
  useEffect(() => () => keepEdit(), []);

  const attempt = (request: Promise<unknown>) => void request.catch(reportQueueFailure).finally(() => refocus());
  const remove = async (request: Promise<unknown>, texts: readonly string[]) => {
    await request;
    const written = texts.filter((text) => text !== '').join('\n\n');
    const said = strings.queue.removed(texts.length);
    if (written === '') toast(said);
    else toastWithAction(said, strings.queue.putBack, () => returnToDraft(session.id, written));
  };
  const changeEdit = (changed: Edit) => {
    setEdit(changed);
    // A page that is left in the middle of it gives the words to the field of the next one.
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
    const saved = session.queue.edit(id, text.trim()).catch(keep);
    attempt(saved.finally(() => settleSent(session.id, keptId(id))));
  };
  const cancelEdit = () => {
    if (edit) settleSent(session.id, keptId(edit.id));
    endEdit();
  };

  return (
    <>
      {/* There before it has something to tell: otherwise the first message that waits would not be read out. */}
      <output className="sr-only">{items.length > 0 && strings.queue.count(items.length)}</output>
      {items.length > 0 && (
        <section className="mx-3 rounded-t-xl border border-b-0 border-rule-strong bg-paper">
          <header className="flex min-h-10 items-center gap-2 pt-1 pr-2 pl-3 text-sm">
            <h2 className="flex min-w-0 flex-1 items-center gap-2 font-medium">
              <span className="truncate">{held ? strings.queue.held : strings.queue.title}</span>
              <span
                aria-hidden
                title={strings.queue.count(items.length)}
                className="rounded-full bg-accent-wash px-1.5 text-2xs text-accent tabular-nums"
              >
                {items.length}
              </span>
            </h2>
            {held && (
              <Button variant="primary" className="h-7!" onClick={() => attempt(session.sendHeld())}>
                {strings.queue.sendAll}
              </Button>
            )}
            <Button
              variant="ghost"
              className="h-7!"
              onClick={() =>
                attempt(
                  remove(
                    session.queue.clear(),
                    items.map(({ text }) => text),
                  ),
                )
              }
            >
              {strings.queue.clear}
            </Button>
          </header>
          <ol ref={list} aria-label={strings.queue.label} className="max-h-60 overflow-y-auto px-3 pb-1.5">
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
                onSend={() => attempt(session.sendQueued(item.id))}
                onRemove={() => attempt(remove(session.queue.remove(item.id), [item.text]))}
              />
            ))}
          </ol>
        </section>
      )}
    </>
  );
}
