'use client';

import { useEffect, useEffectEvent, useMemo } from 'react';
import { ChatActionsProvider } from '#components/chat/chat-actions';
import { Composer } from '#components/chat/composer';
import { ModelPicker } from '#components/chat/model-picker';
import { QueueList } from '#components/chat/queue-list';
import { StatusAnnouncer } from '#components/chat/status-announcer';
import { Transcript } from '#components/chat/transcript';
import { ContextMeter } from '#components/context/context-meter';
import { Notice } from '#components/ui/notice';
import { isSummarizing } from '#lib/chat-message';
import { chatSession } from '#lib/chat-sessions';
import { HOME_PATH, goTo } from '#lib/navigation';
import { strings } from '#lib/strings';
import { latestWrite } from '#lib/tool-entry';
import type { EntryRef, SiteWrite } from '#lib/tool-entry';
import { useChatSession } from '#lib/use-chat-session';
import { useConnection } from '#lib/use-connection';
import { useModelChoice } from '#lib/use-model-choice';

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

  useEffect(() => {
    void session.open();
  }, [session]);

  const showWrite = useEffectEvent(() => {
    if (write) onWrite(write);
  });
  useEffect(() => {
    // Only another write counts, not another object that tells of the same one.
    if (writeId !== undefined) showWrite();
  }, [writeId]);

  const send = async (text: string) => {
    const sending = session.send(text, modelId);
    // A message that starts a turn is settled when the turn has ended; only queueing can fail to take the text.
    if (view.isRunning) await sending;
  };
  const actions = useMemo(
    () => ({ showEntry: onShow, answer: (text: string) => void session.send(text, modelId) }),
    [onShow, session, modelId],
  );
  const summarizing = view.compactingSince !== null || (view.isRunning && isSummarizing(view.messages));

  return (
    <ChatActionsProvider value={actions}>
      <StatusAnnouncer
        isRunning={view.isRunning}
        isSummarizing={summarizing}
        hasFailed={view.turnError !== null}
        hasAnswer={view.messages.at(-1)?.role === 'assistant'}
      />
      <Body session={session} view={view} isOnline={isOnline} onSend={(text) => void send(text)} />
      {view.load !== 'missing' && (
        <div className="@container mx-auto w-full max-w-[44rem] px-3 pb-4 sm:px-6">
          <QueueList items={view.queue} />
          <Composer key={sessionId} draftKey={sessionId} isBusy={view.isRunning} onSend={send}>
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
