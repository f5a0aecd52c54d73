import { memo, useState } from 'react';
import type { ChatFile } from '#components/api/chat-message';
import { Composer } from '#components/chat/composer/composer';
import { ModelPicker } from '#components/chat/composer/model-picker';
import { QueueList } from '#components/chat/composer/queue-list';
import type { ChatSession } from '#components/chat/session/chat-session';
import { type ChatView, stopAnswer } from '#components/chat/session/chat-sessions';
import { useModelChoice } from '#components/chat/session/use-model-choice';
import { cancelCompaction } from '#components/context/compaction-notices';
import { ContextMeter } from '#components/context/context-meter';
import { Button } from '#components/ui/buttons';
import { duration } from '#components/ui/format';
import { useNow } from '#components/ui/hooks';
import { reportFailure } from '#components/ui/toasts';
import { strings } from '#components/words';

interface DockProps extends Pick<
  ChatView,
  'load' | 'queue' | 'isRunning' | 'isStopping' | 'lastPrune' | 'compactingSince'
> {
  readonly session: ChatSession;
}

/** Queue and composer. Does not depend on the messages, so a streaming answer does not redraw it. */
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

interface CompactingRowProps {
  readonly session: ChatSession;
  /** Epoch ms. */
  readonly since: number;
}

/**
 * Says calmly that older messages are being summarized, and for how long; it can be cancelled. Beside the composer, where
 * it is in view wherever the reader is.
 */
function CompactingRow({ session, since }: CompactingRowProps) {
  const [isCancelling, setIsCancelling] = useState(false);
  const now = useNow(1000);
  const seconds = Math.max(0, Math.floor(((now ?? since) - since) / 1000));
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
      {strings.compaction.running}
      <span aria-hidden className="text-ink-3 tabular-nums">
        {seconds < 60 ? strings.compaction.seconds(seconds) : duration(seconds * 1000)}
      </span>
      <Button
        variant="ghost"
        aria-label={strings.compaction.cancelLabel}
        disabled={isCancelling}
        onClick={() => void cancel()}
      >
        {isCancelling ? strings.compaction.cancelling : strings.compaction.cancel}
      </Button>
    </div>
  );
}
