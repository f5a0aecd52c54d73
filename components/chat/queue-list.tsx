import { useEffect, useEffectEvent, useState } from 'react';
import { toast } from 'sonner';
import { QueueRow } from '#components/chat/queue-row';
import { Button } from '#components/ui/button';
import type { ChatSession } from '#lib/chat-session';
import { returnToDraft } from '#lib/drafts';
import { reportQueueFailure } from '#lib/report-failure';
import { strings } from '#lib/strings';
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

/** Messages that wait for the running turn or, after a stop, for the user; each can be changed until it is sent. */
export function QueueList({ session, queue, isRunning }: QueueListProps) {
  const [edit, setEdit] = useState<Edit | null>(null);
  const { items, held } = queue;
  const isEditedGone = edit !== null && !items.some(({ id }) => id === edit.id);

  const saveEdit = useEffectEvent(() => {
    if (!edit || edit.text.trim() === edit.original) return;
    returnToDraft(session.id, edit.text);
    toast(strings.queue.editTooLate);
  });
  useEffect(() => {
    if (isEditedGone) saveEdit();
  }, [isEditedGone]);

  if (items.length === 0) return null;

  const attempt = (request: Promise<unknown>) => void request.catch(reportQueueFailure);
  const remove = async (request: Promise<unknown>, texts: readonly string[]) => {
    await request;
    toast(strings.queue.removed(texts.length), {
      action: { label: strings.queue.putBack, onClick: () => returnToDraft(session.id, texts.join('\n\n')) },
    });
  };
  const finishEdit = ({ id, original, text }: Edit) => {
    setEdit(null);
    if (text.trim() !== '' && text.trim() !== original) attempt(session.queue.edit(id, text.trim()));
  };

  return (
    <section className="mx-3 rounded-t-xl border border-b-0 border-rule-strong bg-paper">
      <header className="flex min-h-10 items-center gap-2 pt-1 pr-2 pl-3 text-sm">
        <h2 className="flex min-w-0 flex-1 items-center gap-2 font-medium">
          <span className="truncate">{held ? strings.queue.held : strings.queue.title}</span>
          <span
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
      <ol aria-label={strings.queue.label} className="max-h-60 overflow-y-auto px-3 pb-1.5">
        {items.map((item, index) => (
          <QueueRow
            key={item.id}
            text={edit?.id === item.id ? edit.text : item.text}
            place={index + 1}
            isEditing={edit?.id === item.id}
            isRunning={isRunning}
            onEdit={(text) => setEdit({ id: item.id, original: item.text, text })}
            onEdited={() => edit && finishEdit(edit)}
            onCancelEdit={() => setEdit(null)}
            onSend={() => attempt(session.sendQueued(item.id))}
            onRemove={() => attempt(remove(session.queue.remove(item.id), [item.text]))}
          />
        ))}
      </ol>
    </section>
  );
}
