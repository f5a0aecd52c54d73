'use client';

import { useRef } from 'react';
import useSWR from 'swr';
import { CallRequestRow } from '#components/access/calls/call-request-row';
import { Section } from '#components/settings/settings-group';
import { Notice } from '#components/ui/notice';
import { accessPaths } from '#lib/access/access-client';
import { CALL_REQUESTS_PATH, type CallRequestList, waitingOf } from '#lib/access/calls-client';
import { refocus } from '#lib/focus/refocus';
import { callStrings as text } from '#lib/strings/calls';
import type { Me } from '#server/core/people';

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
    if (error) return <Notice title={text.loadFailed} body={error.message} action={{ label: text.retry, run: () => void mutate() }} />; // prettier-ignore
    return (
      <>
        <output className="sr-only">{text.loading}</output>
        <div aria-hidden className="my-5 h-10 animate-breathe rounded-md bg-rule" />
      </>
    );
  }
  const waiting = waitingOf(data);
  const onDecided = async () => {
    await mutate();
    refocus(() => list.current?.querySelector<HTMLElement>('button'));
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
