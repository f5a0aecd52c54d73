import { memo, useMemo } from 'react';
import { MessageBlockView } from '#components/chat/message-block';
import { UserNote } from '#components/chat/user-note';
import { wasStopped } from '#lib/chat-message';
import type { ChatMessage } from '#lib/chat-message';
import { clockTime, duration } from '#lib/format';
import { messageBlocks, userWords } from '#lib/message-blocks';
import { strings } from '#lib/strings';

interface MessageViewProps {
  readonly message: ChatMessage;
  /** The user's text right after this message: the answer to a question in it. */
  readonly answer: string | null;
  /** Its turn runs now. */
  readonly isLive: boolean;
  /** What went wrong is said elsewhere. */
  readonly hidesError: boolean;
}

interface FooterProps {
  readonly message: ChatMessage;
  readonly isEmpty: boolean;
  readonly hidesError: boolean;
}

/** How an answer ended, where it did not just end well. */
function Ending({ message, isEmpty, hidesError }: FooterProps) {
  const { status, error } = message.metadata ?? {};
  if (wasStopped(message)) {
    return (
      <p className="text-sm text-ink-3">{isEmpty ? strings.transcript.stoppedEmpty : strings.transcript.stopped}</p>
    );
  }
  if (status === 'interrupted') return <p className="text-sm text-ink-3">{strings.transcript.interrupted}</p>;
  if (hidesError || (status !== 'failed' && !error)) return null;
  return (
    <p className="rounded-md bg-red-wash px-3 py-2 text-sm">
      {status === 'failed' && `${strings.transcript.turnFailed} `}
      {error}
    </p>
  );
}

function Footer(props: FooterProps) {
  const { createdAt, durationMs } = props.message.metadata ?? {};
  return (
    <>
      <Ending {...props} />
      {createdAt !== undefined && (
        <p className="absolute -bottom-6 left-0 text-xs text-ink-3 opacity-0 transition-opacity group-hover/message:opacity-100">
          <time dateTime={new Date(createdAt).toISOString()}>{clockTime(createdAt)}</time>
          {durationMs !== undefined && ` · ${strings.transcript.took(duration(durationMs))}`}
        </p>
      )}
    </>
  );
}

/** One message of the transcript. Drawn again only when it changes: finished ones stay as they are. */
export const MessageView = memo(function MessageView({ message, answer, isLive, hidesError }: MessageViewProps) {
  const { role, parts, metadata } = message;
  const blocks = useMemo(() => messageBlocks(parts), [parts]);
  const isEmpty = blocks.length === 0;
  if (isEmpty && metadata?.status !== 'failed' && metadata?.status !== 'interrupted' && !metadata?.error) return null;
  return (
    <article
      data-role={role}
      aria-label={role === 'user' ? strings.transcript.you : strings.transcript.assistant}
      className="group/message relative flex flex-col gap-4"
    >
      {role === 'user' ? (
        <UserNote {...userWords(parts, metadata?.messageCount)} />
      ) : (
        blocks.map((block) => <MessageBlockView key={block.key} block={block} answer={answer} isLive={isLive} />)
      )}
      {!isLive && <Footer message={message} isEmpty={isEmpty} hidesError={hidesError} />}
    </article>
  );
});
