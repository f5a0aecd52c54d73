import { RetryButton } from '#components/chat/retry';
import { Button } from '#components/ui/button';
import type { ChatSession, FailedSend } from '#lib/chat/chat-session';
import { strings } from '#lib/strings';

interface FailedSendNoticeProps {
  readonly session: ChatSession;
  readonly failed: FailedSend;
}

/** Under a message that the server did not take: it can be sent again or discarded. */
export function FailedSendNotice({ session, failed }: FailedSendNoticeProps) {
  return (
    <div role="alert" className="-mt-5 flex flex-wrap items-center gap-2 text-sm">
      <p className="text-red">
        {strings.transcript.sendFailed} {failed.reason}
      </p>
      <Button onClick={() => void session.resend(failed.messageId)}>{strings.transcript.resend}</Button>
      <Button variant="ghost" onClick={() => session.discard(failed.messageId)}>
        {strings.transcript.discard}
      </Button>
    </div>
  );
}

interface TurnErrorNoticeProps {
  readonly reason: string;
  /** Of the site, that the answer had made before. */
  readonly changes: number;
  /** The request is not open for a change. */
  readonly canRetry: boolean;
}

/** Under an answer that broke off with an error. */
export function TurnErrorNotice({ reason, changes, canRetry }: TurnErrorNoticeProps) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-lg bg-red-wash px-4 py-3 text-sm">
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {strings.transcript.turnFailed} {reason}
      </p>
      {canRetry && <RetryButton changes={changes} />}
    </div>
  );
}
