'use client';

import { memo, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { api } from '#components/api/api-client.ts';
import { type ChatFile, type ChatMessage, wasStopped } from '#components/api/chat-message.ts';
import { useConnection } from '#components/api/use-connection.ts';
import { BudgetStrip } from '#components/chat/composer/budget-strip';
import { Composer } from '#components/chat/composer/composer';
import { QueueList } from '#components/chat/composer/queue-list';
import { useModelChoice } from '#components/chat/models/model-choice.ts';
import { ModelPicker } from '#components/chat/models/model-picker';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { chatSession, type ChatView, stopAnswer, useChatSession } from '#components/chat/session/chat-sessions.ts';
import { type EntryRef, latestWrite, type SiteWrite } from '#components/chat/parts/tool-entry.ts';
import { ChatActionsProvider } from '#components/chat/transcript/chat-actions.ts';
import { CompactionDialog } from '#components/chat/transcript/compaction-dialog';
import { Transcript } from '#components/chat/transcript/transcript';
import { TranscriptSkeleton } from '#components/chat/transcript/transcript-skeleton';
import { CompactingRow } from '#components/context/compacting-row';
import { notifyCompaction } from '#components/context/compaction-notices.ts';
import { ContextMeter } from '#components/context/context-meter';
import { ContextPanel } from '#components/context/context-panel';
import { PreferenceStrip } from '#components/context/preference-strip';
import { contentChanged, reloadPreview } from '#components/workspace/content-cache.ts';
import { focusComposer } from '#components/ui/focus/focus.ts';
import { goTo, HOME_PATH } from '#components/workspace/navigation.ts';
import { reportFailure, ToastPlace } from '#components/ui/dialogs/toasts';
import { LoadFailed, Notice } from '#components/ui/notices';
import { reportUnsent } from '#components/chat/composer/report-send-failure.ts';
import { whileVisible } from '#components/ui/hooks.ts';
import type { ApprovalDecision } from '#server/core/conversation/approvals';

const tStatus = translator('status');
const tTranscript = translator('transcript');
const t = translator('sidebar');

interface ConversationProps {
  readonly sessionId: string;
  readonly onShow: (entry: EntryRef, sectionIds?: readonly string[]) => void;
  /** Called for a change to the site that is made while the conversation is on screen. */
  readonly onWrite: (write: SiteWrite) => void;
  /** Called once for the newest change of a conversation that is opened. */
  readonly onOpen: (write: SiteWrite) => void;
}

/** The open conversation: its transcript, the queue and the message field. Opens it and follows its events. */
export function Conversation({ sessionId, onShow, onWrite, onOpen }: ConversationProps) {
  const session = chatSession(sessionId);
  const view = useChatSession(session);
  const isOnline = useConnection() === 'online';
  const modelId = useModelChoice(sessionId);
  const { messages, openedAtMessage } = view;
  const write = useMemo(() => latestWrite(messagesSince(messages, openedAtMessage)), [messages, openedAtMessage]);
  const writeId = write?.id;

  useEffect(
    // A browser allows few connections to one server, and a hidden page needs none.
    () => whileVisible(() => session.watch()),
    [session],
  );

  const showWrite = useEffectEvent((isOpening: boolean) => {
    if (write) (isOpening ? onOpen : onWrite)(write);
  });
  const isLoaded = view.load === 'ready';
  /** The newest write that is shown, or was there when the conversation was opened. Null: not loaded yet. */
  const knownWrite = useRef<{ readonly id: string | undefined } | null>(view.isNew ? { id: undefined } : null);
  useEffect(() => {
    if (!isLoaded || (knownWrite.current !== null && knownWrite.current.id === writeId)) return;
    const isOpening = knownWrite.current === null;
    knownWrite.current = { id: writeId };
    if (writeId !== undefined) showWrite(isOpening);
  }, [isLoaded, writeId]);

  // A ref, because new callbacks at every step of resizing would redraw all cards.
  const show = useRef(onShow);
  useEffect(() => {
    show.current = onShow;
  }, [onShow]);
  const actions = useMemo(
    () => ({
      session,
      showEntry: (entry: EntryRef, sectionIds?: readonly string[]) => show.current(entry, sectionIds),
      answer: (text: string) => void sendAndShow(session, session.outbox.send(text, modelId)).catch(reportUnsent),
      decide: (decisions: readonly ApprovalDecision[]) => session.decide(decisions),
      edit: () => session.newestRequest.edit(),
      endEdit: () => session.newestRequest.endEdit(),
      replace: (messageId: string, parts: ChatMessage['parts'], undoChanges: boolean) =>
        sendingAnew(session, undoChanges, session.newestRequest.replace(messageId, parts, modelId, undoChanges)),
      retry: (undoChanges: boolean) =>
        sendingAnew(session, undoChanges, session.newestRequest.retry(modelId, undoChanges)),
      earlierVersion: (messageId: string) => api.earlierVersion(sessionId, messageId),
    }),
    [session, sessionId, modelId],
  );
  const summarizing = view.compactingSince !== null;
  useEffect(() => session.onNotice((notice) => notifyCompaction(session, notice)), [session]);

  return (
    <ChatActionsProvider value={actions}>
      {view.shownCompaction !== null && (
        <CompactionDialog
          session={session}
          compactionId={view.shownCompaction}
          onClose={() => session.showCompaction(null)}
        />
      )}
      <StatusAnnouncer state={summarizing ? 'summarizing' : turnState(view)} />
      <Body session={session} view={view} isOnline={isOnline} />
      {view.load !== 'missing' && (
        <Dock
          session={session}
          load={view.load}
          queue={view.queue}
          isRunning={view.isRunning}
          isStopping={view.isStopping}
          lastPrune={view.lastPrune}
          compactingSince={view.compactingSince}
        />
      )}
    </ChatActionsProvider>
  );
}

/** Without the messages that were loaded later from further back, whose events are old. */
function messagesSince(messages: readonly ChatMessage[], firstId: string | null): readonly ChatMessage[] {
  return messages.slice(
    Math.max(
      0,
      messages.findLastIndex(({ id }) => id === firstId),
    ),
  );
}

/** Scrolls to the newest message, because the sender wants to see the result wherever they were reading. */
function sendAndShow(session: ChatSession, sent: Promise<void>): Promise<void> {
  session.pages.showNewest();
  return sent;
}

/**
 * After a message has replaced another one, reloads the preview if changes were undone, and focuses the composer. Does
 * nothing if the message was not sent.
 */
async function sendingAnew(session: ChatSession, undoChanges: boolean, sent: Promise<boolean>): Promise<boolean> {
  session.pages.showNewest();
  if (!(await sent)) return false;
  if (undoChanges) {
    contentChanged();
    reloadPreview();
  }
  // If the user does something else by then, the focus stays there.
  if (isNowhere(document.activeElement)) focusComposer();
  return true;
}

/** True if the focus is lost, or in the transcript, whose focused part is gone or about to be removed. */
function isNowhere(focused: Element | null): boolean {
  return focused === null || focused === document.body || focused.closest('[role=log]') !== null;
}

function turnState(view: ChatView): TurnState | null {
  const last = view.messages.at(-1);
  if (view.isStopping) return 'stopping';
  if (view.isRunning) return 'answering';
  if (view.turnError !== null) return 'failed';
  if (view.isAsking) return 'asking';
  if (last?.role !== 'assistant') return null;
  return wasStopped(last) ? 'stopped' : 'done';
}

interface BodyProps {
  readonly session: ChatSession;
  readonly view: ChatView;
  readonly isOnline: boolean;
}

function Body(props: BodyProps) {
  const { session, view } = props;
  if (view.messages.length > 0 || view.load === 'ready') return <Transcript {...props} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col justify-center">
      {view.load === 'loading' && <TranscriptSkeleton />}
      {view.load === 'failed' && <LoadFailed title={tTranscript('failed')} onRetry={() => session.retry()} />}
      {view.load === 'missing' && (
        <Notice
          title={tTranscript('missing')}
          body={tTranscript('missingBody')}
          action={{ label: t('newChat'), run: () => goTo(HOME_PATH) }}
        />
      )}
    </div>
  );
}

/** Announced states of a turn. */
export type TurnState = 'answering' | 'done' | 'failed' | 'summarizing' | 'stopping' | 'stopped' | 'asking';

interface StatusAnnouncerProps {
  /** Null before the first turn. */
  readonly state: TurnState | null;
}

/** Announces the state of the turn to screen readers, once per change and never word by word. */
function StatusAnnouncer({ state }: StatusAnnouncerProps) {
  return (
    <output aria-live="polite" className="sr-only">
      {state === null ? '' : tStatus(state)}
    </output>
  );
}

interface DockProps extends Pick<
  ChatView,
  'load' | 'queue' | 'isRunning' | 'isStopping' | 'lastPrune' | 'compactingSince'
> {
  readonly session: ChatSession;
}

/**
 * Queue and composer, and above them the elements that reduce the transcript's height. Does not depend on the messages,
 * so a streaming answer does not redraw it.
 */
const Dock = memo(function Dock({ session, ...view }: DockProps) {
  const { load, queue, isRunning, isStopping, lastPrune, compactingSince } = view;
  const modelId = useModelChoice(session.id);
  const [isMeterOpen, setIsMeterOpen] = useState(false);
  const meter = { session, modelId, isLoaded: load === 'ready' };
  return (
    <div className="@container mx-auto w-full max-w-[44rem] px-3 pb-4 sm:px-6">
      <ToastPlace />
      {compactingSince !== null && <CompactingRow session={session} since={compactingSince} />}
      {isMeterOpen && (
        <ContextPanel
          {...meter}
          lastPrune={lastPrune}
          isRunning={isRunning}
          isCompacting={compactingSince !== null}
          onClose={() => setIsMeterOpen(false)}
        />
      )}
      <QueueList session={session} queue={queue} isRunning={isRunning} />
      {!isMeterOpen && load === 'ready' && (
        <PreferenceStrip sessionId={session.id} onShow={() => setIsMeterOpen(true)} />
      )}
      <BudgetStrip sessionId={session.id} isRunning={isRunning} />
      <Composer
        key={session.id}
        draftKey={session.id}
        isBusy={isRunning}
        isStopping={isStopping}
        onStop={() => void stopAnswer(session).catch(reportFailure)}
        sessionFor={async () => session.id}
        onSend={(text: string, files?: readonly ChatFile[]) =>
          sendAndShow(session, session.outbox.send(text, modelId, files))
        }
      >
        <ModelPicker sessionId={session.id} />
        <ContextMeter {...meter} isOpen={isMeterOpen} onPress={() => setIsMeterOpen(!isMeterOpen)} />
      </Composer>
    </div>
  );
});
