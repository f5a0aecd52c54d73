import { useId, useState, useSyncExternalStore } from 'react';
import { type ChatMessage, typedText } from '#components/api/chat-message';
import { draftAt, writeDraft } from '#components/chat/session/drafts';
import { userWords } from '#components/chat/session/message-blocks';
import { useChatActions } from '#components/chat/transcript/chat-actions';
import { UndoChoice } from '#components/chat/transcript/failure-notices';
import { FileList } from '#components/chat/transcript/file-part';
import { Button } from '#components/ui/buttons';
import { focusAtEnd, refocus } from '#components/ui/focus';
import { submitKeys } from '#components/ui/hooks';
import { reportFailure } from '#components/ui/toasts';
import { strings } from '#components/words';

interface EditNoteProps {
  readonly message: ChatMessage;
  /** Number of changes its answer made to the site. */
  readonly changes: number;
}

/** The newest request, opened for a change. What was changed is kept until it is sent or given up. */
export function EditNote({ message, changes }: EditNoteProps) {
  const { session, replace, endEdit } = useChatActions();
  const id = useId();
  const draftKey = `edit:${message.id}`;
  const [text, setText] = useState(() => draftAt(draftKey) || typedText(message));
  const [undoes, setUndoes] = useState(true);
  // Of the conversation: whoever comes back to it finds the note as it was left.
  const isSending = useSyncExternalStore(
    session.subscribe,
    () => session.getState().isReplacing,
    () => false,
  );
  const files = message.parts.filter(({ type }) => type === 'file');
  const isEmpty = text.trim() === '' && files.length === 0;

  const write = (changed: string) => {
    setText(changed);
    writeDraft(draftKey, changed);
  };
  const cancel = () => {
    // It may be sent by now: what comes of it decides.
    if (isSending) return;
    writeDraft(draftKey, '');
    endEdit();
    refocus(() => document.querySelector<HTMLElement>('[data-action="edit"]'));
  };
  const submit = async () => {
    if (isEmpty || isSending) return;
    try {
      const words = text.trim() === '' ? [] : [{ type: 'text' as const, text: text.trim() }];
      const isSent = await replace(message.id, [...words, ...files], undoes && changes > 0);
      if (isSent) writeDraft(draftKey, '');
    } catch (error) {
      reportFailure(error);
    }
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      className="flex flex-col gap-3 border-l-2 border-accent pl-4"
    >
      <textarea
        ref={focusAtEnd}
        rows={1}
        value={text}
        aria-label={strings.messageActions.editLabel}
        aria-describedby={id}
        onChange={(event) => write(event.target.value)}
        onKeyDown={submitKeys(() => void submit(), cancel)}
        readOnly={isSending}
        className="field-sizing-content max-h-80 min-h-11 w-full resize-none rounded-lg border border-rule-strong bg-sheet px-3 py-2 text-base leading-relaxed outline-none focus:border-accent"
      />
      <FileList files={userWords(files, undefined).files} />
      {changes > 0 && <UndoChoice changes={changes} isChosen={undoes} onChoose={setUndoes} />}
      <div className="flex items-center justify-end gap-2">
        <p id={id} className="mr-auto text-xs text-ink-3 max-sm:sr-only">
          {strings.messageActions.editHint}
        </p>
        <Button variant="ghost" aria-disabled={isSending} onClick={cancel}>
          {strings.common.cancel}
        </Button>
        <Button type="submit" variant="primary" disabled={isEmpty} aria-disabled={isSending}>
          {isSending ? strings.messageActions.sending : strings.messageActions.send}
        </Button>
      </div>
    </form>
  );
}
