import { ArrowDown } from 'lucide-react';
import { Fragment, useState } from 'react';
import { StickToBottom, useStickToBottomContext } from 'use-stick-to-bottom';
import { FailedSendNotice, TurnErrorNotice } from '#components/chat/failure-notices';
import { MessageView } from '#components/chat/message';
import { CompactingRow } from '#components/context/compacting-row';
import { Button } from '#components/ui/button';
import { IconButton } from '#components/ui/icon-button';
import { messageText } from '#lib/chat-message';
import type { ChatMessage } from '#lib/chat-message';
import type { ChatSession } from '#lib/chat-session';
import { showsProgress } from '#lib/message-blocks';
import { strings } from '#lib/strings';
import type { ChatView } from '#lib/use-chat-session';

/** Messages drawn at first, and how many more each time; all of them are there to be shown. */
const PAGE = 60;

interface TranscriptProps {
  readonly session: ChatSession;
  readonly view: ChatView;
  readonly isOnline: boolean;
  readonly onSend: (text: string) => void;
}

function ToBottom() {
  const { isAtBottom, scrollToBottom } = useStickToBottomContext();
  if (isAtBottom) return null;
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
      <IconButton
        label={strings.transcript.toBottom}
        icon={<ArrowDown aria-hidden />}
        onClick={() => void scrollToBottom()}
        className="pointer-events-auto rounded-full! border border-rule-strong bg-sheet shadow-sheet"
      />
    </div>
  );
}

/** That work goes on, where nothing else shows it. */
function Working({ text }: { readonly text: string }) {
  return (
    <p className="flex items-center gap-2 text-sm text-ink-3">
      <span aria-hidden className="h-4 w-0.5 animate-breathe rounded bg-accent" />
      {text}
    </p>
  );
}

/** What the user said right after the message at `index`. */
function answerAfter(messages: readonly ChatMessage[], index: number): string | null {
  const next = messages[index + 1];
  return next?.role === 'user' ? messageText(next) : null;
}

/** The conversation so far. Stays at the newest line unless the reader scrolls away. */
export function Transcript({ session, view, isOnline, onSend }: TranscriptProps) {
  const [limit, setLimit] = useState(PAGE);
  const { messages, isRunning } = view;
  const first = Math.max(0, messages.length - limit);
  const last = messages.at(-1);
  const showsError = view.turnError !== null && isOnline;
  const isSilent = isRunning && (last?.role !== 'assistant' || view.isWaiting || !showsProgress(last.parts));
  return (
    <StickToBottom className="relative min-h-0 flex-1" resize="instant" initial="instant">
      <StickToBottom.Content
        role="log"
        aria-live="off"
        aria-label={strings.transcript.label}
        className="mx-auto flex w-full max-w-[44rem] flex-col gap-9 px-5 pt-8 pb-10 sm:px-8"
      >
        {first > 0 && (
          <Button variant="ghost" className="self-center" onClick={() => setLimit(limit + PAGE)}>
            {strings.transcript.earlier}
          </Button>
        )}
        {messages.slice(first).map((message, offset) => {
          const failed = view.failedSends.find(({ messageId }) => messageId === message.id);
          return (
            <Fragment key={message.id}>
              <MessageView
                message={message}
                answer={answerAfter(messages, first + offset)}
                isLive={isRunning && message === last}
                hidesError={showsError && message === last}
              />
              {failed && <FailedSendNotice session={session} failed={failed} />}
            </Fragment>
          );
        })}
        {view.isStopping ? (
          <Working text={strings.composer.stopping} />
        ) : (
          isSilent && <Working text={strings.transcript.thinking} />
        )}
        {view.compactingSince !== null && <CompactingRow since={view.compactingSince} />}
        {showsError && (
          <TurnErrorNotice
            reason={view.turnError ?? ''}
            onAgain={() => {
              const question = messages.findLast(({ role }) => role === 'user');
              session.chat.clearError();
              if (question) onSend(messageText(question));
            }}
          />
        )}
      </StickToBottom.Content>
      <ToBottom />
    </StickToBottom>
  );
}
