'use client';

import { useEffect, useEffectEvent, useMemo } from 'react';
import { ChatActionsProvider } from '#components/chat/chat-actions';
import { Composer } from '#components/chat/composer';
import { ModelPicker } from '#components/chat/model-picker';
import { QueueList } from '#components/chat/queue-list';
import { StatusAnnouncer } from '#components/chat/status-announcer';
import type { TurnState } from '#components/chat/status-announcer';
import { Transcript } from '#components/chat/transcript';
import { ContextMeter } from '#components/context/context-meter';
import { Notice } from '#components/ui/notice';
import { isSummarizing, wasStopped } from '#lib/chat-message';
import { chatSession } from '#lib/chat-sessions';
import { HOME_PATH, goTo } from '#lib/navigation';
import { reportFailure, reportUnsent } from '#lib/report-failure';
import { strings } from '#lib/strings';
import { latestWrite } from '#lib/tool-entry';
import type { EntryRef, SiteWrite } from '#lib/tool-entry';
import { useChatSession } from '#lib/use-chat-session';
import type { ChatView } from '#lib/use-chat-session';
import { useConnection } from '#lib/use-connection';
import { useModelChoice } from '#lib/use-model-choice';
import { whileVisible } from '#lib/while-visible';
import type { ApprovalDecision } from '#server/core/turns';

interface ConversationProps {
  readonly sessionId: string;
  readonly onShow: (entry: EntryRef) => void;
  /** A change to the site that the transcript shows as its newest. */
  readonly onWrite: (write: SiteWrite) => void;
}

/** One conversation: transcript, queue and composer. */
export function Conversation({ sessionId, onShow, onWrite }: ConversationProps) {
  const session = chatSession(sessionId);
  const view = useChatSession(session);
  const isOnline = useConnection() === 'online';
  const [modelId, chooseModel] = useModelChoice();
  const write = useMemo(() => latestWrite(view.messages), [view.messages]);
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

  const send = (text: string) => session.send(text, modelId);
  const actions = useMemo(
    () => ({
      showEntry: onShow,
      answer: (text: string) => void session.send(text, modelId).catch(reportUnsent),
      decide: (decisions: readonly ApprovalDecision[]) => session.decide(decisions),
    }),
    [onShow, session, modelId],
  );
  const summarizing = view.compactingSince !== null || (view.isRunning && isSummarizing(view.messages));

  return (
    <ChatActionsProvider value={actions}>
      <StatusAnnouncer state={summarizing ? 'summarizing' : turnState(view)} />
      <Body session={session} view={view} isOnline={isOnline} onSend={(text) => void send(text).catch(reportUnsent)} />
      {view.load !== 'missing' && (
        <div className="@container mx-auto w-full max-w-[44rem] px-3 pb-4 sm:px-6">
          <QueueList session={session} queue={view.queue} isRunning={view.isRunning} />
          <Composer
            key={sessionId}
            draftKey={sessionId}
            isBusy={view.isRunning}
            isStopping={view.isStopping}
            onStop={() => void session.stop().catch(reportFailure)}
            onSend={send}
          >
            <ModelPicker modelId={modelId} onChange={chooseModel} />
            <ContextMeter
              session={session}
              modelId={modelId}
              lastPrune={view.lastPrune}
              isRunning={view.isRunning}
              isCompacting={summarizing}
            />
          </Composer>
        </div>
      )}
    </ChatActionsProvider>
  );
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

function Body(props: Parameters<typeof Transcript>[0]) {
  const { session, view } = props;
  if (view.load === 'ready' || view.messages.length > 0) return <Transcript {...props} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col justify-center">
      {view.load === 'loading' && <Skeleton />}
      {view.load === 'failed' && (
        <Notice
          title={strings.transcript.failed}
          action={{ label: strings.transcript.retry, run: () => void session.open() }}
        />
      )}
      {view.load === 'missing' && (
        <Notice
          title={strings.transcript.missing}
          body={strings.transcript.missingBody}
          action={{ label: strings.sidebar.newChat, run: () => goTo(HOME_PATH) }}
        />
      )}
    </div>
  );
}

function Skeleton() {
  return (
    <output aria-label={strings.transcript.loading} className="block mx-auto w-full max-w-[44rem] flex-1 px-8 pt-8">
      {['w-2/5', 'w-11/12', 'w-4/5', 'w-3/5', 'w-1/3', 'w-10/12'].map((width) => (
        <div key={width} className={`mb-4 h-4 animate-breathe rounded bg-rule ${width}`} />
      ))}
    </output>
  );
}
