'use client';

import { useRef, useState } from 'react';
import { toast } from '#components/toast';
import useSWR from 'swr';
import { useMe } from '#components/access/access-client';
import { ApprovalEffect, Decision } from '#components/calls/approval-effect';
import { ValueView } from '#components/calls/value-view';
import {
  type CallRequestList,
  decideCall,
  decideEditorial,
  useEditorialCalls,
  waitingOf,
} from '#components/calls/call-requests';
import { callStrings as text } from '#components/calls/words';
import { toolTitle } from '#components/chat/session/tool-titles';
import { HelpedSection } from '#components/ui/help-section';
import { nameOfSite, useSites } from '#components/desk/site-of-page';
import { refocus } from '#components/ui/focus';
import { NotLoaded } from '#components/ui/notices';
import { reportFailure } from '#components/ui/toasts';
import type { CallRequest } from '#server/core/call-requests';
import { paths } from '#components/api/paths';
import { TimeAgo } from '#components/ui/page-parts';

/** An assistant asks while the page is open; milliseconds. */
const REFRESH_MS = 4_000;

/** Calls that wait for the signed-in person's decision: of other assistants, and in the conversations of authors. */
export function WaitingCalls() {
  const isAuthor = useMe()?.role === 'author';
  return (
    <HelpedSection name="calls" title={text.title} body={isAuthor ? text.authorsBody : text.body}>
      <div className="border-t border-rule">
        <Calls />
      </div>
    </HelpedSection>
  );
}

function Calls() {
  const me = useMe();
  const editorial = useEditorialCalls(REFRESH_MS);
  const { data, error, mutate } = useSWR<CallRequestList, Error>(paths.callRequests, { refreshInterval: REFRESH_MS });
  const list = useRef<HTMLUListElement>(null);
  if (!data) return <NotLoaded title={text.loadFailed} error={error} loading={text.loading} onRetry={() => mutate()} />;
  const waiting = waitingOf(data);
  const onDecided = async () => {
    await Promise.all([mutate(), editorial.mutate()]);
    refocus(() => list.current?.querySelector<HTMLElement>('[data-decision]'));
  };
  const asked = editorial.data?.items ?? [];
  const isEmpty = waiting.length + asked.length === 0;
  return (
    <>
      <output className="sr-only">{isEmpty ? text.empty : ''}</output>
      {isEmpty && <p className="border-b border-rule py-5 text-sm text-ink-2">{text.empty}</p>}
      <ul ref={list} aria-label={text.list}>
        {asked.map((call) => (
          <CallRow
            key={call.partId}
            call={{ ...call, id: call.toolCallId }}
            asks={text.authorAsks(call.userName)}
            agreed={text.agreed}
            decide={(approved) => decideEditorial(call, approved)}
            onDecided={() => void onDecided()}
          />
        ))}
        {waiting.map((request) => (
          <CallRow
            key={request.id}
            call={request}
            asks={text.asks(request.keyName, request.userId === me?.id ? null : request.userName)}
            agreed={text.approved}
            isElsewhere={me?.role === 'author'}
            decide={(approved) => decideCall(request.id, { approved })}
            onDecided={() => void onDecided()}
          />
        ))}
      </ul>
    </>
  );
}

interface CallRowProps {
  readonly call: Pick<CallRequest, 'id' | 'siteId' | 'toolName' | 'input' | 'effect' | 'createdAt'>;
  /** Requester. */
  readonly asks: string;
  /** Said once it is approved. */
  readonly agreed: string;
  /** Somebody else has to agree. Default false. */
  readonly isElsewhere?: boolean;
  readonly decide: (approved: boolean) => Promise<unknown>;
  readonly onDecided: () => void;
}

/** A call that waits: who asks, what it would do, and the two answers. */
function CallRow({ call, asks, agreed, isElsewhere = false, decide, onDecided }: CallRowProps) {
  const { id, siteId, toolName, input, effect, createdAt } = call;
  const { items } = useSites();
  const site = items.length > 1 ? items.find((each) => each.id === siteId) : undefined;
  const [isDeciding, setIsDeciding] = useState(false);
  const title = toolTitle({ ...NOT_RUN, id, name: toolName, input, effect });

  const answer = async (approved: boolean) => {
    setIsDeciding(true);
    try {
      await decide(approved);
      toast(approved ? agreed : text.denied);
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
        <span>{asks}</span>
        {site && <span>{nameOfSite(site)}</span>}
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
        isElsewhere={isElsewhere}
        title={title}
        onDecide={(approved) => void answer(approved)}
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
