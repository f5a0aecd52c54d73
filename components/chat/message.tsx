import { memo, useMemo } from 'react';
import { FilePart } from '#components/chat/parts/file-part';
import { MessageBlockView } from '#components/chat/message-block';
import { UserNote } from '#components/chat/user-note';
import { messageText } from '#lib/chat-message';
import type { ChatMessage } from '#lib/chat-message';
import { clockTime, duration } from '#lib/format';
import { messageBlocks } from '#lib/message-blocks';
import { strings } from '#lib/strings';

interface MessageViewProps {
  readonly message: ChatMessage;
  /** The user's text right after this message: the answer to a question in it. */
  readonly answer: string | null;
  /** Its turn runs now. */
  readonly isLive: boolean;
}

function Footer({ message }: { readonly message: ChatMessage }) {
  const { createdAt, durationMs, status, error } = message.metadata ?? {};
  return (
    <>
      {status === 'interrupted' && <p className="text-sm text-ink-3">{strings.transcript.interrupted}</p>}
      {(status === 'failed' || Boolean(error)) && (
        <p className="rounded-md bg-red-wash px-3 py-2 text-sm">
          {status === 'failed' && `${strings.transcript.turnFailed} `}
          {error}
        </p>
      )}
      {createdAt !== undefined && (
        <p className="absolute -bottom-6 left-0 text-xs text-ink-3 opacity-0 transition-opacity group-hover/message:opacity-100">
          <time dateTime={new Date(createdAt).toISOString()}>{clockTime(createdAt)}</time>
          {durationMs !== undefined && ` · ${strings.transcript.took(duration(durationMs))}`}
        </p>
      )}
    </>
  );
}

function UserMessage({ message }: { readonly message: ChatMessage }) {
  const files = messageBlocks(message.parts).filter((block) => block.kind === 'file');
  return (
    <>
      <UserNote text={messageText(message)} />
      {files.map((file) => (
        <FilePart key={file.key} url={file.url} mediaType={file.mediaType} filename={file.filename} />
      ))}
    </>
  );
}

/** One message of the transcript. Drawn again only when it changes: finished ones stay as they are. */
export const MessageView = memo(function MessageView({ message, answer, isLive }: MessageViewProps) {
  const blocks = useMemo(() => messageBlocks(message.parts), [message.parts]);
  const { status, error } = message.metadata ?? {};
  if (blocks.length === 0 && status !== 'failed' && status !== 'interrupted' && !error) return null;
  return (
    <article
      data-role={message.role}
      aria-label={message.role === 'user' ? strings.transcript.you : strings.transcript.assistant}
      className="group/message relative flex flex-col gap-4"
    >
      {message.role === 'user' ? (
        <UserMessage message={message} />
      ) : (
        blocks.map((block) => <MessageBlockView key={block.key} block={block} answer={answer} isLive={isLive} />)
      )}
      {!isLive && <Footer message={message} />}
    </article>
  );
});
