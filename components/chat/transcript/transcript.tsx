import { ArrowDown } from 'lucide-react';
import { type ComponentProps, memo, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { type ChatMessage, messageText } from '#components/api/chat-message';
import { Sentences, useBasicAssistant } from '#components/chat/transcript/basic-assistant';
import type { ChatSession } from '#components/chat/session/chat-session';
import type { ChatSessionState, FailedSend } from '#components/chat/session/chat-session-state';
import type { ChatView } from '#components/chat/session/chat-sessions';
import { showsProgress } from '#components/chat/session/message-blocks';
import { draftAt, returnToDraft, writeDraft } from '#components/chat/session/drafts';
import { newestTurn } from '#components/chat/session/newest-turn';
import { useChatActions } from '#components/chat/transcript/chat-actions';
import { useFollowedEnd, useWantedMessage } from '#components/chat/transcript/follow-end';
import { FailedSendNotice, TurnErrorNotice } from '#components/chat/transcript/failure-notices';
import { editKey, MessageView } from '#components/chat/transcript/message';
import { useDrawnMessages } from '#components/chat/transcript/use-drawn-messages';
import { useDeskRequest } from '#components/desk/desk-requests';
import { toast } from '#components/toast';
import { Button, IconButton } from '#components/ui/buttons';
import { refocus } from '#components/ui/focus';
import { wholeSeconds } from '#components/ui/times';
import { useNow } from '#components/ui/hooks';
import { strings } from '#components/words';
import {
  basicAssistantStrings,
  composerStrings,
  queueStrings,
  transcriptStrings,
} from '#components/chat/session/words';

interface TranscriptProps {
  readonly session: ChatSession;
  readonly view: ChatView;
  readonly isOnline: boolean;
}

function ToBottom({ onClick }: { readonly onClick: () => void }) {
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
      <IconButton
        label={transcriptStrings.toBottom}
        icon={<ArrowDown aria-hidden />}
        onClick={onClick}
        className="pointer-events-auto rounded-full! border border-rule-strong bg-sheet shadow-sheet"
      />
    </div>
  );
}

/** Sign of ongoing work where nothing else shows it. */
function Working({ text }: { readonly text: string }) {
  return (
    <p className="flex items-center gap-2 text-sm text-ink-3">
      <span aria-hidden className="h-4 w-0.5 animate-breathe rounded bg-accent" />
      {text}
    </p>
  );
}

/** Time after which it is told for how long the model has been thinking; ms. */
const COUNTED_AFTER = 1_000;
/** Silence in an answer that nobody need notice: a mark for it would only move the page; ms. */
const SHORT_SILENCE = 600;

interface ThinkingProps {
  /** The part of the answer that is there. */
  readonly answer: ChatMessage | undefined;
  /** See ChatSessionState. */
  readonly retryAt: number;
}

/** Says that the model is at work, and for how many seconds; between two parts of an answer only where it takes long. */
function Thinking({ answer, retryAt }: ThinkingProps) {
  const isPause = answer !== undefined && answer.parts.length > 0;
  // Of an answer that was found running it is known when it began.
  const [since] = useState(() => Math.min(Date.now(), (isPause ? undefined : answer?.metadata?.createdAt) ?? Infinity));
  const now = useNow(1000);
  const [isShown, setIsShown] = useState(!isPause);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), SHORT_SILENCE);
    return () => clearTimeout(timer);
  }, []);
  const waited = (now ?? since) - since;
  const left = retryAt - (now ?? since);
  if (left > 0) return <Working text={transcriptStrings.waitingForProvider(wholeSeconds(left))} />;
  if (!isShown) return null;
  return (
    <Working
      text={waited < COUNTED_AFTER ? transcriptStrings.thinking : transcriptStrings.thinkingFor(wholeSeconds(waited))}
    />
  );
}

interface RowProps extends ComponentProps<typeof MessageView> {
  readonly session: ChatSession;
  readonly failed: FailedSend | undefined;
}

/** One message with the notice if it was not sent. */
const Row = memo(function Row({ session, failed, ...props }: RowProps) {
  return (
    <div data-row={props.message.id} className="flex flex-col gap-9 pb-9 empty:hidden">
      <MessageView {...props} />
      {failed && <FailedSendNotice session={session} failed={failed} />}
    </div>
  );
});

interface RowsProps {
  readonly session: ChatSession;
  readonly groupKey: number;
  readonly messages: readonly ChatMessage[];
  /** The user's reply to the last of them. */
  readonly answer: string | null;
  readonly failedSends: readonly FailedSend[];
  /** The streaming message, passed only to the group that contains it. */
  readonly live: ChatMessage | undefined;
  readonly withoutError: ChatMessage | undefined;
  readonly newest: ReturnType<typeof newestTurn>;
  readonly editing: string | null;
}

const isSame = (a: RowsProps, b: RowsProps) =>
  a.messages.length === b.messages.length &&
  a.messages.every((message, index) => message === b.messages[index]) &&
  (Object.keys(a) as (keyof RowsProps)[]).every((name) => name === 'messages' || a[name] === b[name]);

/** Messages that follow each other. Drawn again only when one of them changes: the older ones stay as they are. */
const Rows = memo(function Rows({ session, groupKey, messages, answer, newest, ...props }: RowsProps) {
  return (
    <div data-group={groupKey} className="-mx-3 px-3">
      {messages.map((message, index) => {
        const isNewest = message === newest?.request || message.id === newest?.lastId;
        const next = messages[index + 1];
        return (
          <Row
            key={message.id}
            session={session}
            failed={props.failedSends.find(({ messageId }) => messageId === message.id)}
            message={message}
            answer={next ? userText(next) : answer}
            isLive={message === props.live}
            hidesError={message === props.withoutError}
            canEdit={message === newest?.request}
            canRetry={message.id === newest?.lastId && props.editing !== newest.request.id}
            changes={isNewest ? newest.changes : 0}
            isEditing={message.id === props.editing}
          />
        );
      })}
    </div>
  );
}, isSame);

function userText(message: ChatMessage | undefined): string | null {
  return message?.role === 'user' ? messageText(message) : null;
}

/** True if nothing runs, is being summarized or was refused: the newest request can be sent once more. */
function canSendAnew({ isRunning, compactingSince, failedSends, messages }: ChatView): boolean {
  const request = messages.findLast(({ role }) => role === 'user');
  return !isRunning && compactingSince === null && !failedSends.some(({ messageId }) => messageId === request?.id);
}

/** Moves an edit of a request into the message field once another request has come behind that. */
function useOvertakenEdit(session: ChatSession, { editing, isReplacing, messages }: ChatView): void {
  const request = messages.findLast((message) => message.role === 'user' && !session.outbox.isUnsent(message));
  const isOvertaken = editing !== null && !isReplacing && request !== undefined && request.id !== editing;
  const giveBack = useEffectEvent(() => {
    const key = editKey(editing ?? '');
    const written = draftAt(key);
    session.newest.endEdit();
    refocus();
    writeDraft(key, '');
    // It may be what was written here: taken, though its answer was lost.
    if (written === '' || written.trim() === userText(request)) return;
    returnToDraft(session.id, written);
    toast(queueStrings.editTooLate);
  });
  useEffect(() => {
    if (isOvertaken) giveBack();
  }, [isOvertaken]);
}

/** The conversation so far. Stays at the newest line unless the reader scrolls away, and goes there when they send. */
export function Transcript(props: TranscriptProps) {
  const { scroller, content, isAway, followEnd, leaveEnd } = useFollowedEnd();
  useDeskRequest('show-newest', () => {
    followEnd();
    return true;
  });
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={scroller} className="size-full overflow-x-hidden overflow-y-auto">
        <div
          ref={content}
          role="log"
          aria-live="off"
          aria-label={transcriptStrings.label}
          className="mx-auto w-full max-w-[44rem] px-5 pt-8 pb-1 sm:px-8"
        >
          <Messages {...props} scroller={scroller} content={content} leaveEnd={leaveEnd} />
        </div>
      </div>
      {isAway && <ToBottom onClick={followEnd} />}
    </div>
  );
}

type MessagesProps = TranscriptProps & Pick<ReturnType<typeof useFollowedEnd>, 'scroller' | 'content' | 'leaveEnd'>;

function Messages({ session, view, isOnline, scroller, content, leaveEnd }: MessagesProps) {
  const { messages, isRunning } = view;
  const isBasic = useBasicAssistant(session.id);
  const { answer } = useChatActions();
  const { groups, isComplete } = useDrawnMessages(messages, scroller, content, view.wanted?.row);
  useWantedMessage(session, view.wanted, content, leaveEnd);
  useOvertakenEdit(session, view);
  const last = messages.at(-1);
  const showsError = view.turnError !== null && isOnline;
  const newest = canSendAnew(view) ? newestTurn(messages) : null;
  const isSilent = isRunning && (last?.role !== 'assistant' || view.isWaiting || !showsProgress(last.parts));
  return (
    <>
      {(view.earlier !== 'none' || messages.findIndex(({ id }) => id === view.openedAtMessage) > 0) && (
        <EarlierMessages
          state={isComplete ? view.earlier : 'loading'}
          scroller={scroller}
          onShow={() => void session.loadEarlier()}
        />
      )}
      {groups.map(({ key, messages: drawn }, index) => {
        const has = (message: ChatMessage | undefined) => message !== undefined && drawn.includes(message);
        const hasNewest = has(newest?.request) || drawn.some(({ id }) => id === newest?.lastId);
        return (
          <Rows
            key={key}
            session={session}
            groupKey={key}
            messages={drawn}
            answer={userText(groups[index + 1]?.messages[0])}
            failedSends={view.failedSends}
            live={isRunning && has(last) ? last : undefined}
            withoutError={showsError && has(last) ? last : undefined}
            newest={hasNewest ? newest : null}
            editing={hasNewest ? view.editing : null}
          />
        );
      })}
      <div className="-mx-3 flex flex-col gap-9 px-3 pb-9 empty:hidden">
        {view.isStopping ? (
          <Working text={composerStrings.stopping} />
        ) : (
          isSilent && <Thinking answer={last?.role === 'assistant' ? last : undefined} retryAt={view.retryAt} />
        )}
        {isBasic && canSendAnew(view) && saysOnly(last) && (
          <Sentences label={basicAssistantStrings.tryThese} isBasic onChoose={answer} />
        )}
        {showsError && (
          <TurnErrorNotice
            isNew
            reason={`${transcriptStrings.turnFailed} ${view.turnError ?? ''}`}
            changes={newest?.changes ?? 0}
            canRetry={newest === null || view.editing !== newest.request.id}
          />
        )}
      </div>
    </>
  );
}

/** An answer of words alone: nothing was asked that its writer could do something about. */
function saysOnly(message: ChatMessage | undefined): boolean {
  return message?.role === 'assistant' && message.parts.every(({ type }) => type === 'text' || type === 'step-start');
}

/** Earlier messages are asked for when the reader is this near to the first one; pixels. */
const AHEAD = 2_500;

const labels = {
  there: () => transcriptStrings.earlier,
  loading: () => transcriptStrings.loadingEarlier,
  failed: () => strings.common.retry,
};

interface EarlierMessagesProps {
  readonly state: ChatSessionState['earlier'];
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onShow: () => void;
}

/**
 * The upper end of the transcript: what comes before is shown as the reader gets near, or asks for it. What is below
 * stays where it is meanwhile, so it must not be what the browser holds on to.
 */
function EarlierMessages({ state, scroller, onShow }: EarlierMessagesProps) {
  const row = useRef<HTMLDivElement>(null);
  const isPressed = useRef(false);
  const show = useEffectEvent(onShow);
  const isThere = state === 'there';

  useEffect(() => {
    const element = scroller.current;
    if (!isThere || !element) return undefined;
    const look = () => {
      const isHidden = element.clientHeight === 0;
      if (!isHidden && element.scrollTop < AHEAD) show();
    };
    // At first the transcript has yet to be scrolled to its end.
    const first = requestAnimationFrame(() => requestAnimationFrame(look));
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      cancelAnimationFrame(first);
      element.removeEventListener('scroll', look);
    };
  }, [isThere, scroller]);

  useEffect(() => {
    // The button that had the focus is gone.
    if (state === 'none' && isPressed.current) row.current?.focus();
  }, [state]);

  return (
    <div
      ref={row}
      tabIndex={-1}
      className="mb-9 flex h-9 items-center justify-center gap-3 text-sm text-ink-3 outline-none [overflow-anchor:none]"
    >
      {state === 'none' && transcriptStrings.beginning}
      {state === 'failed' && <span>{transcriptStrings.earlierFailed}</span>}
      {state !== 'none' && (
        <Button
          variant="ghost"
          aria-disabled={state === 'loading'}
          onClick={() => {
            isPressed.current = true;
            onShow();
          }}
        >
          {labels[state]()}
        </Button>
      )}
    </div>
  );
}
