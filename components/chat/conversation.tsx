'use client';

import { memo, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { api } from '#components/api/api-client';
import { type ChatFile, type ChatMessage, wasStopped } from '#components/api/chat-message';
import { useConnection } from '#components/api/use-connection';
import { BudgetStrip } from '#components/chat/composer/budget-strip';
import { Composer } from '#components/chat/composer/composer';
import { ModelPicker, useModelChoice } from '#components/chat/models/model-picker';
import type { ChatSession } from '#components/chat/session/chat-session';
import { chatSession, type ChatView, stopAnswer, useChatSession } from '#components/chat/session/chat-sessions';
import { type EntryRef, latestWrite, type SiteWrite } from '#components/chat/session/tool-entry';
import { ChatActionsProvider } from '#components/chat/transcript/chat-actions';
import { Transcript, TranscriptSkeleton, useTranscript } from '#components/chat/transcript/fetched-transcript';
import { ContextMeter } from '#components/context/context-meter';
import { contentChanged } from '#components/desk/content-cache';
import { askDesk } from '#components/desk/desk-requests';
import { goTo, HOME_PATH } from '#components/desk/navigation';
import { fetchedLater } from '#components/ui/fetched-later';
import { reportFailure, ToastPlace } from '#components/ui/toasts';
import { LoadFailed, Notice } from '#components/ui/notices';
import { reportUnsent } from '#components/chat/session/session-queue';
import { sidebarStrings } from '#components/chat/sidebar/words';
import { statusStrings, transcriptStrings } from '#components/chat/session/words';
import { whileVisible } from '#components/ui/hooks';
import type { ApprovalDecision } from '#server/core/approvals';

const CompactionDialog = fetchedLater(
  async () => (await import('#components/chat/transcript/compaction-dialog')).CompactionDialog,
);
const QueueList = fetchedLater(async () => (await import('#components/chat/composer/queue-list')).QueueList);
const CompactingRow = fetchedLater(async () => (await import('#components/context/compacting-row')).CompactingRow);
const ContextPanel = fetchedLater(async () => (await import('#components/context/context-panel')).ContextPanel);

interface ConversationProps {
  readonly sessionId: string;
  readonly onShow: (entry: EntryRef, sectionIds?: readonly string[]) => void;
  /** A change to the site that the transcript shows as its newest. */
  readonly onWrite: (write: SiteWrite) => void;
}

export function Conversation({ sessionId, onShow, onWrite }: ConversationProps) {
  const session = chatSession(sessionId);
  const view = useChatSession(session);
  const isOnline = useConnection() === 'online';
  const modelId = useModelChoice(sessionId);
  const { messages, openedAtMessage } = view;
  const write = useMemo(() => latestWrite(messagesSince(messages, openedAtMessage)), [messages, openedAtMessage]);
  const writeId = write?.toolCallId;

  useEffect(
    // A browser has few connections to one server; a page that nobody sees needs none.
    () =>
      whileVisible(() => {
        void session.open();
        return session.watch();
      }),
    [session],
  );

  const showWrite = useEffectEvent(() => {
    if (write) onWrite(write);
  });
  useEffect(() => {
    // Only another write counts, not another object that tells of the same one.
    if (writeId !== undefined) showWrite();
  }, [writeId]);

  // With actions of their own for every place of the desk's edge, all cards would be drawn again while it is dragged.
  const show = useRef(onShow);
  useEffect(() => {
    show.current = onShow;
  }, [onShow]);
  const actions = useMemo(
    () => ({
      session,
      showEntry: (entry: EntryRef, sectionIds?: readonly string[]) => show.current(entry, sectionIds),
      answer: (text: string) => void sendAndShow(session.send(text, modelId)).catch(reportUnsent),
      decide: (decisions: readonly ApprovalDecision[]) => session.decide(decisions),
      edit: () => session.newest.edit(),
      endEdit: () => session.newest.endEdit(),
      replace: (messageId: string, parts: ChatMessage['parts'], undoChanges: boolean) =>
        sendingAnew(undoChanges, session.newest.replace(messageId, parts, modelId, undoChanges)),
      retry: (undoChanges: boolean) => sendingAnew(undoChanges, session.newest.retry(modelId, undoChanges)),
      earlierVersion: (messageId: string) => api.earlierVersion(sessionId, messageId),
    }),
    [session, sessionId, modelId],
  );
  const summarizing = view.compactingSince !== null;
  useEffect(
    () =>
      session.compactions.onNotice((notice) => {
        const tell = import('#components/context/compaction-notices');
        // Where it cannot be fetched, the line in the transcript says the same.
        void tell.then(({ tellOfCompaction }) => tellOfCompaction(session, notice)).catch(() => undefined);
      }),
    [session],
  );

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

/** Without those that the reader has gone back to: what they tell of is old. */
function messagesSince(messages: readonly ChatMessage[], firstId: string | null): readonly ChatMessage[] {
  return messages.slice(
    Math.max(
      0,
      messages.findLastIndex(({ id }) => id === firstId),
    ),
  );
}

/** Whoever sends something wants to see what comes of it, wherever they were reading. */
function sendAndShow(sent: Promise<void>): Promise<void> {
  askDesk('show-newest', null);
  return sent;
}

/** Shows what has become of the site and goes back to writing, once a message has taken another one's place, if it does. */
async function sendingAnew(undoChanges: boolean, sent: Promise<boolean>): Promise<boolean> {
  askDesk('show-newest', null);
  if (!(await sent)) return false;
  if (undoChanges) {
    contentChanged();
    askDesk('reload-preview', null);
  }
  // Whoever does something else by then is left at it.
  if (isNowhere(document.activeElement)) askDesk('refocus-composer', null);
  return true;
}

/** In the transcript, of which this part is gone or about to go, or lost with it. */
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
  const drawing = useTranscript();
  const isEmpty = view.messages.length === 0;
  const isDrawn = isEmpty ? view.load === 'ready' : drawing.isReady || view.isRunning;
  if (isDrawn && !drawing.hasFailed) return <Transcript {...props} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col justify-center">
      {(view.load === 'loading' || !isEmpty) && !drawing.hasFailed && <TranscriptSkeleton />}
      {(drawing.hasFailed || (view.load === 'failed' && isEmpty)) && (
        <LoadFailed
          title={transcriptStrings.failed}
          onRetry={() => {
            drawing.retry();
            void session.open();
          }}
        />
      )}
      {view.load === 'missing' && (
        <Notice
          title={transcriptStrings.missing}
          body={transcriptStrings.missingBody}
          action={{ label: sidebarStrings.newChat, run: () => goTo(HOME_PATH) }}
        />
      )}
    </div>
  );
}

/** States of a turn that are announced. */
export type TurnState = keyof typeof statusStrings;

interface StatusAnnouncerProps {
  /** Null: nothing has happened yet. */
  readonly state: TurnState | null;
}

/** Announces the state of the turn to screen readers, once per change and never word by word. */
function StatusAnnouncer({ state }: StatusAnnouncerProps) {
  return (
    <output aria-live="polite" className="sr-only">
      {state === null ? '' : statusStrings[state]}
    </output>
  );
}

interface DockProps extends Pick<
  ChatView,
  'load' | 'queue' | 'isRunning' | 'isStopping' | 'lastPrune' | 'compactingSince'
> {
  readonly session: ChatSession;
}

/** Queue and composer, and above them what takes room from the transcript. Does not depend on the messages, so a streaming answer does not redraw it. */
const Dock = memo(function Dock({ session, ...view }: DockProps) {
  const { load, queue, isRunning, isStopping, lastPrune, compactingSince } = view;
  const modelId = useModelChoice(session.id);
  const [isMeterOpen, setIsMeterOpen] = useState(false);
  // There before the first message waits, so that screen readers hear of it.
  const [hasQueue, setHasQueue] = useState(false);
  if (!hasQueue && (isRunning || queue.items.length > 0)) setHasQueue(true);
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
      {hasQueue && <QueueList session={session} queue={queue} isRunning={isRunning} />}
      <BudgetStrip sessionId={session.id} isRunning={isRunning} />
      <Composer
        key={session.id}
        draftKey={session.id}
        isBusy={isRunning}
        isStopping={isStopping}
        onStop={() => void stopAnswer(session).catch(reportFailure)}
        sessionFor={async () => session.id}
        onSend={(text: string, files?: readonly ChatFile[]) => sendAndShow(session.send(text, modelId, files))}
      >
        <ModelPicker sessionId={session.id} />
        <ContextMeter {...meter} isOpen={isMeterOpen} onPress={() => setIsMeterOpen(!isMeterOpen)} />
      </Composer>
    </div>
  );
});
