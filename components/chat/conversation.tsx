'use client';

import { type ComponentProps, memo, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { api } from '#components/api/api-client';
import { type ChatFile, type ChatMessage, wasStopped } from '#components/api/chat-message';
import { useConnection, whileVisible } from '#components/api/use-connection';
import { BudgetStrip } from '#components/chat/composer/budget-strip';
import { Composer } from '#components/chat/composer/composer';
import { ModelPicker, useModelChoice } from '#components/chat/models/model-picker';
import { QueueList } from '#components/chat/composer/queue-list';
import type { ChatSession } from '#components/chat/session/chat-session';
import { chatSession, type ChatView, stopAnswer, useChatSession } from '#components/chat/session/chat-sessions';
import { type EntryRef, latestWrite, type SiteWrite } from '#components/chat/session/tool-entry';
import { ChatActionsProvider } from '#components/chat/transcript/chat-actions';
import { CompactionDialog } from '#components/chat/transcript/compaction-dialog';
import { loadMarkdown } from '#components/chat/transcript/text-part';
import { Transcript } from '#components/chat/transcript/transcript';
import { cancelCompaction, useCompactionNotices } from '#components/context/compaction-notices';
import { ContextMeter } from '#components/context/context-meter';
import { compactionStrings } from '#components/context/words';
import { contentChanged } from '#components/desk/content-cache';
import { askDesk } from '#components/desk/desk-requests';
import { goTo, HOME_PATH, sessionPath } from '#components/desk/navigation';
import { Button } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { wholeSeconds } from '#components/ui/format';
import { useNow } from '#components/ui/hooks';
import { reportFailure, ToastPlace } from '#components/ui/toasts';
import { LoadFailed, Notice } from '#components/ui/notices';
import { reportUnsent } from '#components/chat/session/session-queue';
import { sidebarStrings } from '#components/chat/sidebar/words';
import { statusStrings, transcriptStrings } from '#components/chat/session/words';
import type { ApprovalDecision } from '#server/core/messages';

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
  const [modelId] = useModelChoice();
  const isMarkdownLoaded = useMarkdown();
  const { messages, openedAt } = view;
  const write = useMemo(() => latestWrite(messagesSince(messages, openedAt)), [messages, openedAt]);
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
  useCompactionNotices(session);

  return (
    <ChatActionsProvider value={actions}>
      <CompactionDialog session={session} compactionId={view.shownCompaction} />
      <StatusAnnouncer state={summarizing ? 'summarizing' : turnState(view)} />
      <Body session={session} view={view} isOnline={isOnline} isReady={isMarkdownLoaded} />
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
function messagesSince(messages: readonly ChatMessage[], openedAt: string | null): readonly ChatMessage[] {
  return messages.slice(
    Math.max(
      0,
      messages.findLastIndex(({ id }) => id === openedAt),
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

// Asked for as soon as the scripts run where answers are to be drawn; a new conversation asks while its first words are
// written.
if (typeof window !== 'undefined' && window.location.pathname.startsWith(sessionPath('')))
  void loadMarkdown().catch(() => undefined);

/** True when what draws answers is there, or will not come. */
function useMarkdown(): boolean {
  const [isLoaded, setIsLoaded] = useState(false);
  useEffect(() => {
    // Each passage tries again, and shows its plain text until then.
    void loadMarkdown()
      .catch(() => undefined)
      .finally(() => setIsLoaded(true));
  }, []);
  return isLoaded;
}

interface BodyProps extends ComponentProps<typeof Transcript> {
  /** Messages can be drawn as they will stay. */
  readonly isReady: boolean;
}

function Body({ isReady, ...props }: BodyProps) {
  const { session, view } = props;
  const isEmpty = view.messages.length === 0;
  if (isEmpty ? view.load === 'ready' : isReady || view.isRunning) return <Transcript {...props} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col justify-center">
      {(view.load === 'loading' || !isEmpty) && <Skeleton />}
      {view.load === 'failed' && isEmpty && (
        <LoadFailed title={transcriptStrings.failed} onRetry={() => void session.open()} />
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

function Skeleton() {
  return (
    <output aria-label={transcriptStrings.loading} className="block mx-auto w-full max-w-[44rem] flex-1 px-8 pt-8">
      {['w-2/5', 'w-11/12', 'w-4/5', 'w-3/5', 'w-1/3', 'w-10/12'].map((width) => (
        <div key={width} className={`mb-4 h-4 animate-breathe rounded bg-rule ${width}`} />
      ))}
    </output>
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
  const [modelId, chooseModel] = useModelChoice();
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
        <ModelPicker sessionId={session.id} modelId={modelId} onChange={chooseModel} />
        <ContextMeter {...meter} isOpen={isMeterOpen} onPress={() => setIsMeterOpen(!isMeterOpen)} />
      </Composer>
    </div>
  );
});

interface CompactingRowProps {
  readonly session: ChatSession;
  /** Epoch ms. */
  readonly since: number;
}

/**
 * Says that older messages are being summarized, and for how long, with a button to cancel. Stands beside the composer,
 * where it is always in view.
 */
function CompactingRow({ session, since }: CompactingRowProps) {
  const [isCancelling, setIsCancelling] = useState(false);
  const now = useNow(1000);
  const cancel = async () => {
    setIsCancelling(true);
    await cancelCompaction(session);
    setIsCancelling(false);
  };
  return (
    <div className="flex animate-rise items-center gap-3 px-3 py-1.5 font-sans text-sm text-ink-2">
      <span aria-hidden className="flex flex-col gap-[3px]">
        <span className="h-[2px] w-5 animate-breathe rounded bg-accent" />
        <span className="h-[2px] w-3.5 animate-breathe rounded bg-accent [animation-delay:200ms]" />
        <span className="h-[2px] w-2 animate-breathe rounded bg-accent [animation-delay:400ms]" />
      </span>
      {compactionStrings.running}
      <span aria-hidden className="text-ink-3 tabular-nums">
        {wholeSeconds((now ?? since) - since)}
      </span>
      <Button
        variant="ghost"
        aria-label={compactionStrings.cancelLabel}
        disabled={isCancelling}
        onClick={() => void cancel()}
      >
        {isCancelling ? compactionStrings.cancelling : compactionStrings.cancel}
      </Button>
    </div>
  );
}
