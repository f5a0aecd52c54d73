import clsx from 'clsx';
import { FileDiff, PencilLine, Undo2 } from 'lucide-react';
import { memo, type ReactNode, useId, useMemo, useState, useSyncExternalStore } from 'react';
import useSWRImmutable from 'swr/immutable';
import { translator } from '#components/i18n.ts';
import { type ChatMessage, typedText, wasStopped } from '#components/api/chat-message.ts';
import { isBesideWords, messageBlocks, userWords } from '#components/chat/parts/message-blocks.ts';
import { countWrites } from '#components/chat/parts/tool-entry.ts';
import { useChatActions } from '#components/chat/transcript/chat-actions.ts';
import { RetryIcon, TurnErrorNotice, UndoChoice } from '#components/chat/transcript/failure-notices';
import { MessageBlockView, UserNote } from '#components/chat/transcript/message-block';
import { useWorkspaceActions } from '#components/workspace/workspace-actions.ts';
import { localizedText } from '#components/message-text.ts';
import { isReversed } from '#components/history/checkpoints.ts';
import { useKnownCheckpoints } from '#components/history/use-history.ts';
import { CopyButton } from '#components/ui/controls/copy-button';
import { Button, IconButton } from '#components/ui/buttons';
import { clockTime, duration } from '#components/ui/times.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { draftAt, writeDraft } from '#components/chat/session/drafts.ts';
import { FileList } from '#components/chat/transcript/file-part';
import { focusAtEnd, refocus } from '#components/ui/focus/focus.ts';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { submitKeys } from '#components/ui/keys.ts';

const tMessageAction = translator('messageAction');
const t = translator('transcript');
const tChanges = translator('changes');
const tShared = translator('shared');

interface MessageViewProps {
  readonly message: ChatMessage;
  /** The user's text right after this message: the answer to a question in it. */
  readonly answer: string | null;
  /** Its turn is running. */
  readonly isLive: boolean;
  /** The error is shown elsewhere. */
  readonly hidesError: boolean;
  /** Newest request, which can be edited. */
  readonly canEdit?: boolean;
  /** This message has the retry button for the newest request. */
  readonly canRetry?: boolean;
  /** Number of site changes by the newest answer; set only if it can be edited or retried. */
  readonly changes?: number;
  /** The user is editing it. */
  readonly isEditing?: boolean;
  /** Replaced by a later version. */
  readonly isEarlier?: boolean;
}

interface EndingProps extends Required<Pick<MessageViewProps, 'message' | 'hidesError' | 'canRetry' | 'changes'>> {
  readonly isEmpty: boolean;
}

/** True if the turn of an answer ended with an error. */
function hasFailed(message: ChatMessage): boolean {
  return !wasStopped(message) && (message.metadata?.status === 'failed' || Boolean(message.metadata?.error));
}

/** Notice about an answer that failed or was stopped. */
function Ending({ message, isEmpty, hidesError, canRetry, changes }: EndingProps) {
  const { status, error, errorMessage } = message.metadata ?? {};
  if (wasStopped(message)) {
    return <p className="text-sm text-ink-3">{isEmpty ? t('stoppedEmpty') : t('stopped')}</p>;
  }
  if (hidesError) return null;
  if (status === 'interrupted') return <p className="text-sm text-ink-3">{t('interrupted')}</p>;
  if (!hasFailed(message)) return null;
  const why = localizedText(errorMessage, error ?? '');
  const reason = status === 'failed' ? `${t('turnFailed')} ${why}` : why;
  return <TurnErrorNotice reason={reason} cause={errorMessage} changes={changes} canRetry={canRetry} isNew={false} />;
}

type RowProps = Required<Pick<MessageViewProps, 'message' | 'canEdit' | 'canRetry' | 'changes'>>;

/** Actions and time below a message. Hidden until hovered, except for the newest answer. */
function ActionRow({ message, canEdit, canRetry, changes }: RowProps) {
  const { createdAt, durationMs, turnId } = message.metadata ?? {};
  const hasChanged = message.role === 'assistant' && countWrites(message) > 0;
  return (
    <div
      className={clsx(
        'absolute -bottom-8 -left-1.5 flex h-7 items-center gap-2 text-xs text-ink-3 transition-opacity focus-within:opacity-100 group-hover/message:opacity-100 pointer-coarse:opacity-100',
        !canRetry && 'opacity-0',
      )}
    >
      <MessageActions
        text={typedText(message)}
        canEdit={canEdit}
        canRetry={canRetry && !hasFailed(message)}
        changes={changes}
        changedIn={hasChanged ? (turnId ?? null) : null}
      />
      {createdAt !== undefined && (
        <p className="opacity-0 transition-opacity group-hover/message:opacity-100">
          <time dateTime={new Date(createdAt).toISOString()}>{clockTime(createdAt)}</time>
          {durationMs !== undefined && ` · ${t('took', { duration: duration(durationMs) })}`}
        </p>
      )}
    </div>
  );
}

/** The earlier version of messages that were sent again. */
function Earlier({ messageId }: { readonly messageId: string }) {
  return (
    <EarlierVersion messageId={messageId}>
      {(messages) =>
        messages.map((message) => (
          // Its questions are closed, regardless of the reply.
          <MessageView key={message.id} message={message} answer="" isLive={false} hidesError={false} isEarlier />
        ))
      }
    </EarlierVersion>
  );
}

/** One message of the transcript. Redrawn only when it changes. */
export const MessageView = memo(function MessageView({
  message,
  answer,
  isLive,
  hidesError,
  canEdit = false,
  canRetry = false,
  changes = 0,
  isEditing = false,
  isEarlier = false,
}: MessageViewProps) {
  const { role, parts, metadata } = message;
  const blocks = useMemo(() => messageBlocks(parts), [parts]);
  const isEmpty = blocks.length === 0;
  if (isEmpty && metadata?.status !== 'failed' && metadata?.status !== 'interrupted' && !metadata?.error) return null;
  return (
    <article
      data-role={role}
      aria-label={role === 'user' ? t('you') : t('assistant')}
      className="group/message relative flex flex-col gap-4"
    >
      {role !== 'user' ? (
        blocks.map((block) => <MessageBlockView key={block.key} block={block} answer={answer} isLive={isLive} />)
      ) : isEditing && canEdit ? (
        <EditNote message={message} changes={changes} />
      ) : (
        <>
          <UserNote {...userWords(parts, metadata?.messageCount)} />
          {blocks.filter(isBesideWords).map((block) => (
            <MessageBlockView key={block.key} block={block} answer={answer} isLive={isLive} />
          ))}
        </>
      )}
      {metadata?.earlierVersion && <Earlier messageId={message.id} />}
      {!isLive && (
        <Ending message={message} isEmpty={isEmpty} hidesError={hidesError} canRetry={canRetry} changes={changes} />
      )}
      {!isLive && !isEarlier && metadata?.turnId !== undefined && countWrites(message) > 0 && (
        <UndoneMark turnId={metadata.turnId} />
      )}
      {!isLive && !isEditing && !isEarlier && (
        <ActionRow message={message} canEdit={canEdit} canRetry={canRetry} changes={changes} />
      )}
    </article>
  );
});

/** Label below an answer whose changes were all undone. */
function UndoneMark({ turnId }: { readonly turnId: string }) {
  if (!useIsUndone(turnId)) return null;
  return (
    <p data-undone className="flex items-center gap-1.5 text-sm text-ink-3">
      <Undo2 aria-hidden className="size-3.5" />
      {tChanges('answerUndone')}
    </p>
  );
}

/** True once no change of a turn is in effect; false while loading. */
function useIsUndone(turnId: string | null): boolean {
  const { session } = useChatActions();
  const checkpoint = useKnownCheckpoints(session.id).find((each) => each.turnId === turnId);
  // Without the undos that an answer has made itself.
  const changes = checkpoint?.changes.filter(({ action }) => action !== 'undo') ?? [];
  return changes.length > 0 && changes.every(isReversed);
}

interface MessageActionsProps {
  /** Text to copy; empty if there is no text. */
  readonly text: string;
  readonly canEdit: boolean;
  /** False if a notice above has the retry button. */
  readonly canRetry: boolean;
  /** Number of site changes to undo on retry. */
  readonly changes: number;
  /** The turn that changed the site; null if it did not, or is not known. */
  readonly changedIn: string | null;
}

function MessageActions({ text, canEdit, canRetry, changes, changedIn }: MessageActionsProps) {
  const { edit } = useChatActions();
  const { showHistory } = useWorkspaceActions();
  const isUndone = useIsUndone(changedIn);
  return (
    <span className="flex [&_button]:size-7! [&_button]:text-ink-3 [&_svg]:size-3.5!">
      {text !== '' && <CopyButton text={text} label={tMessageAction('copy')} />}
      {canEdit && (
        <IconButton
          data-action="edit"
          label={tMessageAction('edit')}
          icon={<PencilLine aria-hidden />}
          onClick={() => edit()}
        />
      )}
      {canRetry && <RetryIcon changes={changes} />}
      {changedIn !== null && (
        <>
          <span className="contents">
            <IconButton
              label={tChanges('whatChanged')}
              icon={<FileDiff aria-hidden />}
              onClick={() => showHistory(changedIn)}
            />
          </span>
          {!isUndone && <UndoTurn turnId={changedIn} />}
        </>
      )}
    </span>
  );
}

/** Undoes the changes of an answer. Disappears once all of them are undone. */
function UndoTurn({ turnId }: { readonly turnId: string }) {
  const { undoChanges } = useWorkspaceActions();
  return (
    <span ref={passOnFocus} className="contents">
      <IconButton label={tChanges('undoTurnAction')} icon={<Undo2 aria-hidden />} onClick={() => undoChanges(turnId)} />
    </span>
  );
}

interface EarlierVersionProps {
  /** The message that replaced another one. */
  readonly messageId: string;
  /** Renders the replaced message and those that followed it. */
  readonly children: (messages: readonly ChatMessage[]) => ReactNode;
}

/** Earlier version of a message, folded and read-only. */
function EarlierVersion({ messageId, children }: EarlierVersionProps) {
  const { earlierVersion } = useChatActions();
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const { data, error } = useSWRImmutable<readonly ChatMessage[], unknown>(isOpen ? `earlier:${messageId}` : null, () =>
    earlierVersion(messageId),
  );
  return (
    <>
      <p className="-mt-2 text-xs text-ink-3">
        {t('askedAgain')} ·{' '}
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
          className="rounded underline decoration-rule-strong underline-offset-3 hover:text-ink"
        >
          {isOpen ? t('hideEarlierVersion') : t('showEarlierVersion')}
        </button>
      </p>
      <section id={id} hidden={!isOpen} aria-label={t('earlierVersion')}>
        {data && <div className="flex flex-col gap-6 rounded-lg bg-ink/3 px-4 py-5">{children(data)}</div>}
        {error !== undefined && <p className="text-sm text-red">{t('earlierVersionFailed')}</p>}
      </section>
    </>
  );
}

/** Draft key of an edit of a request. */
export const editKey = (messageId: string): string => `edit:${messageId}`;

interface EditNoteProps {
  readonly message: ChatMessage;
  /** Number of site changes by its answer. */
  readonly changes: number;
}

/** The newest request in edit mode. The edit is stored until it is sent or cancelled. */
function EditNote({ message, changes }: EditNoteProps) {
  const { session, replace, endEdit } = useChatActions();
  const id = useId();
  const draftKey = editKey(message.id);
  const [text, setText] = useState(() => draftAt(draftKey) || typedText(message));
  const [undoes, setUndoes] = useState(true);
  // State of the conversation, so that a user who returns finds the note in the same state.
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
    // The edit may have been sent already; its result then decides.
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
        aria-label={tMessageAction('editLabel')}
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
          {tMessageAction('editHint')}
        </p>
        <Button variant="ghost" aria-disabled={isSending} onClick={cancel}>
          {tShared('common.cancel')}
        </Button>
        <Button type="submit" variant="primary" disabled={isEmpty} aria-disabled={isSending}>
          {isSending ? tMessageAction('sending') : tMessageAction('send')}
        </Button>
      </div>
    </form>
  );
}
