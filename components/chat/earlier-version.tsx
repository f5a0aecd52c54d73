import { type ReactNode, useId, useState } from 'react';
import useSWRImmutable from 'swr/immutable';
import { useChatActions } from '#components/chat/chat-actions';
import type { ChatMessage } from '#lib/chat/chat-message';
import { strings } from '#lib/strings';

interface EarlierVersionProps {
  /** The message that was sent in the place of another one. */
  readonly messageId: string;
  /** Draws what the other one was, and what followed it. */
  readonly children: (messages: readonly ChatMessage[]) => ReactNode;
}

/** What was said before a message was sent anew: folded, to be read only. */
export function EarlierVersion({ messageId, children }: EarlierVersionProps) {
  const { earlierVersion } = useChatActions();
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const { data, error } = useSWRImmutable<readonly ChatMessage[], unknown>(isOpen ? `earlier:${messageId}` : null, () =>
    earlierVersion(messageId),
  );
  return (
    <>
      <p className="-mt-2 text-xs text-ink-3">
        {strings.transcript.askedAgain} ·{' '}
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
          className="rounded underline decoration-rule-strong underline-offset-3 hover:text-ink"
        >
          {isOpen ? strings.transcript.hideEarlierVersion : strings.transcript.showEarlierVersion}
        </button>
      </p>
      <section id={id} hidden={!isOpen} aria-label={strings.transcript.earlierVersion}>
        {data && <div className="flex flex-col gap-6 rounded-lg bg-ink/3 px-4 py-5">{children(data)}</div>}
        {error !== undefined && <p className="text-sm text-red">{strings.transcript.earlierVersionFailed}</p>}
      </section>
    </>
  );
}
