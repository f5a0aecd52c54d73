import type { WaitingData } from '#server/core/conversation/events';
import { ArrowDown } from 'lucide-react';
import { type ComponentProps, memo, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { type ChatMessage, isStored, messageText } from '#components/api/chat-message.ts';
import { useBasicAssistant } from '#components/chat/transcript/basic-assistant';
import { ExampleRequests } from '#components/chat/transcript/example-requests';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import type { ChatSessionState, FailedSend } from '#components/chat/session/chat-session-state.ts';
import type { ChatView } from '#components/chat/session/chat-sessions.ts';
import { showsProgress } from '#components/chat/parts/message-blocks.ts';
import { draftAt, returnToDraft, writeDraft } from '#components/chat/session/drafts.ts';
import { newestTurn, type NewestTurn } from '#components/chat/parts/newest-turn.ts';
import { useChatActions } from '#components/chat/transcript/chat-actions.ts';
import { useWantedMessage } from '#components/chat/transcript/use-wanted-message.ts';
import { useFollowedEnd, type FollowedEnd } from '#components/chat/transcript/follow-end.ts';
import { FailedSendNotice, TurnErrorNotice } from '#components/chat/transcript/failure-notices';
import { editKey, MessageView } from '#components/chat/transcript/message';
import { useRenderedMessages } from '#components/chat/transcript/use-rendered-messages.ts';
import { toast } from 'sonner';
import { Button, IconButton } from '#components/ui/buttons';
import { refocus } from '#components/ui/focus/focus.ts';
import { wholeSeconds } from '#components/ui/times.ts';
import { useNow } from '#components/ui/hooks.ts';
import { localizedText } from '#components/message-text.ts';

const tBasicAssistant = translator('basicAssistant');
const tTranscript = translator('transcript');
const tComposer = translator('composer');
const t = translator('queue');
const tShared = translator('shared');

interface TranscriptProps {
  readonly session: ChatSession;
  readonly view: ChatView;
  readonly isOnline: boolean;
}

function ToBottom({ onClick }: { readonly onClick: () => void }) {
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
      <IconButton
        label={tTranscript('toBottom')}
        icon={<ArrowDown aria-hidden />}
        onClick={onClick}
        className="pointer-events-auto rounded-full! border border-rule-strong bg-sheet shadow-sheet"
      />
    </div>
  );
}

/** Progress indicator, if nothing else shows that work continues. */
function Working({ text }: { readonly text: string }) {
  return (
    <p className="flex items-center gap-2 text-sm text-ink-3">
      <span aria-hidden className="h-4 w-0.5 animate-breathe rounded bg-accent" />
      {text}
    </p>
  );
}

/** Time after which the seconds of thinking are shown; ms. A choice, not measured. */
const COUNTED_AFTER = 1_000;
/** Pause in an answer that needs no indicator, which would only move the page; ms. A choice, not measured. */
const SHORT_SILENCE = 600;

interface ThinkingProps {
  /** The part of the answer that has arrived. */
  readonly answer: ChatMessage | undefined;
  /** See ChatSessionState. */
  readonly retryAt: number;
  readonly waiting: WaitingData | null;
}

/**
 * Shows that the model is working, and for how many seconds; between two parts of an answer only after a long pause.
 */
function Thinking({ answer, retryAt, waiting }: ThinkingProps) {
  const isPause = answer !== undefined && answer.parts.length > 0;
  // An answer that was already running when the page opened has a known start.
  const [since] = useState(() => Math.min(Date.now(), (isPause ? undefined : answer?.metadata?.createdAt) ?? Infinity));
  const now = useNow(1000);
  const [isShown, setIsShown] = useState(!isPause);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), SHORT_SILENCE);
    return () => clearTimeout(timer);
  }, []);
  const waited = (now ?? since) - since;
  const left = retryAt - (now ?? since);
  if (left > 0) return <Working text={tTranscript('waitingForProvider', { left: wholeSeconds(left) })} />;
  if (!isShown) return null;
  const reason = waiting && waitingText(waiting);
  if (reason) return <Working text={reason} />;
  return (
    <Working
      text={
        waited < COUNTED_AFTER ? tTranscript('thinking') : tTranscript('thinkingFor', { waited: wholeSeconds(waited) })
      }
    />
  );
}

/** Null: the model is working. */
function waitingText({ reason, tools = [] }: WaitingData): string | null {
  if (reason === 'queued') return tTranscript('waitingForServer');
  if (reason === 'loading') return tTranscript('modelIsLoading');
  return reason === 'tools-left-out' ? tTranscript('withoutTools', { names: tools.join(', ') }) : null;
}

interface RowProps extends ComponentProps<typeof MessageView> {
  readonly session: ChatSession;
  readonly failed: FailedSend | undefined;
}

/** One message, with the notice if it was not sent. */
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
  /** The user's reply to the last message of the group. */
  readonly answer: string | null;
  readonly failedSends: readonly FailedSend[];
  /** The streaming message, passed only to the group that contains it. */
  readonly live: ChatMessage | undefined;
  readonly withoutError: ChatMessage | undefined;
  readonly newest: NewestTurn | null;
  readonly editing: string | null;
}

const isSame = (a: RowsProps, b: RowsProps) =>
  a.messages.length === b.messages.length &&
  a.messages.every((message, index) => message === b.messages[index]) &&
  (Object.keys(a) as (keyof RowsProps)[]).every((name) => name === 'messages' || a[name] === b[name]);

/** Consecutive messages. Redrawn only when one of them changes, so that older groups stay unchanged. */
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
            failed={props.failedSends.find((failed) => failed.message.id === message.id)}
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

/** True if no turn or compaction runs and no message was refused, so that the newest request can be sent again. */
function canSendAnew({ isRunning, compactingSince, failedSends, messages }: ChatView): boolean {
  const request = messages.findLast(({ role }) => role === 'user');
  return !isRunning && compactingSince === null && !failedSends.some(({ message }) => message.id === request?.id);
}

/** Moves an edit of a request into the message field when a newer request arrives. */
function useOvertakenEdit(session: ChatSession, { editing, isReplacing, messages }: ChatView): void {
  const request = messages.findLast((message) => message.role === 'user' && isStored(message));
  const isOvertaken = editing !== null && !isReplacing && request !== undefined && request.id !== editing;
  const giveBack = useEffectEvent(() => {
    const key = editKey(editing ?? '');
    const written = draftAt(key);
    session.newestRequest.endEdit();
    refocus();
    writeDraft(key, '');
    // The newer request may be this edit, accepted although its response was lost.
    if (written === '' || written.trim() === userText(request)) return;
    returnToDraft(session.id, written);
    toast(t('editTooLate'));
  });
  useEffect(() => {
    if (isOvertaken) giveBack();
  }, [isOvertaken]);
}

/** The transcript. Stays at its end unless the reader scrolls away, and returns there when they send. */
export function Transcript(props: TranscriptProps) {
  const end = useFollowedEnd();
  const { scroller, content, isAway, followEnd } = end;
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={scroller} className="size-full overflow-x-hidden overflow-y-auto">
        <div
          ref={content}
          role="log"
          aria-live="off"
          aria-label={tTranscript('label')}
          className="mx-auto w-full max-w-[44rem] px-5 pt-8 pb-1 sm:px-8"
        >
          <Messages {...props} end={end} />
        </div>
      </div>
      {isAway && <ToBottom onClick={followEnd} />}
    </div>
  );
}

type MessagesProps = TranscriptProps & { readonly end: FollowedEnd };

function Messages({ session, view, isOnline, end }: MessagesProps) {
  const { scroller, content, followEnd, leaveEnd } = end;
  const { messages, isRunning } = view;
  const isBasic = useBasicAssistant(session.id);
  const { answer } = useChatActions();
  const { groups, isComplete } = useRenderedMessages(messages, scroller, content, view.wanted?.row);
  useWantedMessage(session, view.wanted, content, followEnd, leaveEnd);
  useOvertakenEdit(session, view);
  const last = messages.at(-1);
  const error = isOnline ? view.turnError : null;
  const newest = canSendAnew(view) ? newestTurn(messages) : null;
  const isSilent = isRunning && (last?.role !== 'assistant' || view.isWaiting || !showsProgress(last.parts));
  return (
    <>
      {(view.earlier !== 'none' || messages.findIndex(({ id }) => id === view.openedAtMessage) > 0) && (
        <EarlierMessages
          state={isComplete ? view.earlier : 'loading'}
          scroller={scroller}
          onShow={() => void session.pages.loadEarlier()}
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
            withoutError={error !== null && has(last) ? last : undefined}
            newest={hasNewest ? newest : null}
            editing={hasNewest ? view.editing : null}
          />
        );
      })}
      <div className="-mx-3 flex flex-col gap-9 px-3 pb-9 empty:hidden">
        {view.isStopping ? (
          <Working text={tComposer('stopping')} />
        ) : (
          isSilent && (
            <Thinking
              answer={last?.role === 'assistant' ? last : undefined}
              retryAt={view.retryAt}
              waiting={view.waiting}
            />
          )
        )}
        {isBasic && canSendAnew(view) && saysOnly(last) && (
          <ExampleRequests label={tBasicAssistant('tryThese')} isBasic onChoose={answer} />
        )}
        {error !== null && (
          <TurnErrorNotice
            isNew
            reason={`${tTranscript('turnFailed')} ${localizedText(error.message, error.text)}`}
            cause={error.message}
            changes={newest?.changes ?? 0}
            canRetry={newest === null || view.editing !== newest.request.id}
          />
        )}
      </div>
    </>
  );
}

/** True for an answer of text only, without tool calls. */
function saysOnly(message: ChatMessage | undefined): boolean {
  return message?.role === 'assistant' && message.parts.every(({ type }) => type === 'text' || type === 'step-start');
}

/** Distance from the first message at which earlier ones are loaded; pixels. A choice, not measured. */
const AHEAD = 2_500;

const labels = {
  there: () => tTranscript('earlier'),
  loading: () => tTranscript('loadingEarlier'),
  failed: () => tShared('common.retry'),
};

interface EarlierMessagesProps {
  readonly state: ChatSessionState['earlier'];
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onShow: () => void;
}

/**
 * The upper end of the transcript: loads earlier messages when the reader gets near, or on request. The content below
 * must not move, so the browser must not use this element as its scroll anchor.
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
    // Waits until the transcript has scrolled to its end.
    const first = requestAnimationFrame(() => requestAnimationFrame(look));
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      cancelAnimationFrame(first);
      element.removeEventListener('scroll', look);
    };
  }, [isThere, scroller]);

  useEffect(() => {
    // The focused button has been removed.
    if (state === 'none' && isPressed.current) row.current?.focus();
  }, [state]);

  return (
    <div
      ref={row}
      tabIndex={-1}
      className="mb-9 flex h-9 items-center justify-center gap-3 text-sm text-ink-3 outline-none [overflow-anchor:none]"
    >
      {state === 'none' && tTranscript('beginning')}
      {state === 'failed' && <span>{tTranscript('earlierFailed')}</span>}
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
