'use client';

import { useRef, useState } from 'react';
import { toast } from 'sonner';
import useSWR from 'swr';
import { accessPaths } from '#components/access/access-client';
import { ApprovalEffect, Decision } from '#components/calls/approval-effect';
import { ValueView } from '#components/calls/value-view';
import { CALL_REQUESTS_PATH, type CallRequestList, decideCall, waitingOf } from '#components/calls/waiting-mark';
import { callStrings as text } from '#components/calls/words';
import { toolTitle } from '#components/chat/session/tool-titles';
import { Section } from '#components/settings/settings-group';
import { refocus } from '#components/ui/focus';
import { LoadFailed, LoadingBlock } from '#components/ui/notices';
import { reportFailure } from '#components/ui/toasts';
import type { CallRequest } from '#server/core/call-requests';
import type { Me } from '#server/core/people';
import { TimeAgo } from '#components/ui/page-parts';

/** An assistant asks while the page is open; milliseconds. */
const REFRESH_MS = 4_000;

/** Calls of other assistants that wait for who looks at them. */
export function WaitingCalls() {
  return (
    <Section name="calls" title={text.title} body={text.body}>
      <div className="border-t border-rule">
        <Calls />
      </div>
    </Section>
  );
}

function Calls() {
  const { data: me } = useSWR<Me, Error>(accessPaths.me);
  const { data, error, mutate } = useSWR<CallRequestList, Error>(CALL_REQUESTS_PATH, { refreshInterval: REFRESH_MS });
  const list = useRef<HTMLUListElement>(null);
  if (!data) {
    if (error) return <LoadFailed title={text.loadFailed} error={error} onRetry={() => void mutate()} />; // prettier-ignore
    return <LoadingBlock label={text.loading} />;
  }
  const waiting = waitingOf(data);
  const onDecided = async () => {
    await mutate();
    refocus(() => list.current?.querySelector<HTMLElement>('[data-decision]'));
  };
  return (
    <>
      <output className="sr-only">{waiting.length === 0 ? text.empty : ''}</output>
      {waiting.length === 0 && <p className="border-b border-rule py-5 text-sm text-ink-2">{text.empty}</p>}
      <ul ref={list} aria-label={text.list}>
        {waiting.map((request) => (
          <CallRequestRow
            key={request.id}
            request={request}
            isOwn={request.userId === me?.id}
            onDecided={() => void onDecided()}
          />
        ))}
      </ul>
    </>
  );
}

interface CallRequestRowProps {
  readonly request: CallRequest;
  readonly isOwn: boolean;
  readonly onDecided: () => void;
}

/** A call of another assistant: who asks, what it would do, and the two answers. */
function CallRequestRow({ request, isOwn, onDecided }: CallRequestRowProps) {
  const { id, toolName, input, effect, keyName, userName, createdAt } = request;
  const [isDeciding, setIsDeciding] = useState(false);
  const title = toolTitle({ ...NOT_RUN, id, name: toolName, input, effect });

  const decide = async (approved: boolean) => {
    setIsDeciding(true);
    try {
      await decideCall(id, { approved });
      toast(approved ? text.approved : text.denied);
    } catch (error) {
      setIsDeciding(false);
      reportFailure(error);
    }
    // Refused, it was decided elsewhere or is over: the list says so, too.
    onDecided();
  };

  return (
    <li data-tool={toolName} className="border-b border-rule py-4">
      <p className="flex flex-wrap gap-x-4 text-xs text-ink-3">
        <span>{text.asks(keyName, isOwn ? null : userName)}</span>
        <span>
          {text.until} <TimeAgo time={createdAt} />
        </span>
      </p>
      <h3 className="mt-0.5 text-base font-medium [overflow-wrap:anywhere]">{title}</h3>
      {effect && <ApprovalEffect effect={effect} />}
      <details open={!effect} className="mt-2 text-sm">
        <summary className="w-fit cursor-pointer rounded text-ink-2 hover:text-ink">{text.details}</summary>
        <div className="mt-2 max-h-72 overflow-auto">
          <ValueView value={input} />
        </div>
      </details>
      <Decision
        call={{ name: toolName, input, effect }}
        isDisabled={isDeciding}
        title={title}
        onDecide={(approved) => void decide(approved)}
      />
    </li>
  );
}

/** Labels of calls that have not run. */
const NOT_RUN = {
  state: 'waiting',
  output: undefined,
  images: [],
  error: null,
  reason: null,
  durationMs: null,
  cleared: null,
} as const;
