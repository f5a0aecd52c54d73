import { memo } from 'react';
import { Composer } from '#components/chat/composer';
import { ModelPicker } from '#components/chat/model-picker';
import { QueueList } from '#components/chat/queue-list';
import { CompactingRow } from '#components/context/compacting-row';
import { ContextMeter } from '#components/context/context-meter';
import type { ChatFile } from '#lib/chat/chat-message';
import type { ChatSession } from '#lib/chat/chat-session';
import { stopAnswer } from '#lib/chat/stop-answer';
import { reportFailure } from '#lib/ui/report-failure';
import type { ChatView } from '#lib/chat/use-chat-session';
import { useModelChoice } from '#lib/chat/use-model-choice';

interface DockProps extends Pick<
  ChatView,
  'load' | 'queue' | 'isRunning' | 'isStopping' | 'lastPrune' | 'compactingSince'
> {
  readonly session: ChatSession;
}

/** What waits and where the user writes. Knows nothing of the messages: a streaming answer does not draw it again. */
export const Dock = memo(function Dock({ session, ...view }: DockProps) {
  const { load, queue, isRunning, isStopping, lastPrune, compactingSince } = view;
  const [modelId, chooseModel] = useModelChoice();
  return (
    <div className="@container mx-auto w-full max-w-[44rem] px-3 pb-4 sm:px-6">
      {compactingSince !== null && <CompactingRow session={session} since={compactingSince} />}
      <QueueList session={session} queue={queue} isRunning={isRunning} />
      <Composer
        key={session.id}
        draftKey={session.id}
        isBusy={isRunning}
        isStopping={isStopping}
        onStop={() => void stopAnswer(session).catch(reportFailure)}
        sessionFor={async () => session.id}
        onSend={(text: string, files?: readonly ChatFile[]) => session.send(text, modelId, files)}
      >
        <ModelPicker modelId={modelId} onChange={chooseModel} />
        <ContextMeter
          session={session}
          modelId={modelId}
          lastPrune={lastPrune}
          isRunning={isRunning}
          isCompacting={compactingSince !== null}
          isLoaded={load === 'ready'}
        />
      </Composer>
    </div>
  );
});
