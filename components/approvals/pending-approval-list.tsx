'use client';

import { useRef, useState } from 'react';
import { toast } from 'sonner';
import { type SWRResponse } from 'swr';
import { translator } from '#components/i18n.ts';
import { useMe } from '#components/access/access-client.ts';
import { DecisionButtons } from '#components/approvals/decision-buttons';
import { ApprovalEffect, type ApprovalEffectProps } from '#components/approvals/approval-effect';
import { ValueView } from '#components/approvals/value-view';
import { decideCall, decideEditorial, useEditorialCalls, waitingOf } from '#components/approvals/pending-approvals.ts';
import { toolTitle } from '#components/chat/parts/tool-titles.ts';
import { HelpedSection } from '#components/ui/help-section';
import { nameOfSite, useSites } from '#components/workspace/site-of-page';
import { previewHref, rootsOf } from '#components/workspace/preview-path.ts';
import { refocus } from '#components/ui/focus/focus.ts';
import { NotLoaded } from '#components/ui/notices';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { CallRequest } from '#server/core/conversation/pending-approvals';
import { paths } from '#components/api/paths.ts';
import { TimeAgo } from '#components/ui/page-parts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('calls');

/** Polling interval while the page is open; milliseconds. A choice, not measured: an assistant is waiting meanwhile. */
const REFRESH_MS = 4_000;

/** Calls that wait for the signed-in person's decision: of other assistants, and in conversations of authors. */
export function PendingApprovalList() {
  const isAuthor = useMe()?.role === 'author';
  return (
    <HelpedSection name="calls" title={t('title')} body={isAuthor ? t('authorsBody') : t('body')}>
      <div className="border-t border-rule">
        <WaitingCalls />
      </div>
    </HelpedSection>
  );
}

/**
 * The waiting calls of both lists. While a list is loading or has failed, that is shown above the calls of the other.
 */
export function WaitingCalls() {
  const me = useMe();
  const editorial = useEditorialCalls(REFRESH_MS);
  const requests = useApi(paths.callRequests, { refreshInterval: REFRESH_MS });
  const list = useRef<HTMLUListElement>(null);
  const missing = [requests, editorial].filter(isMissing);
  const reload = () => Promise.all([requests.mutate(), editorial.mutate()]);
  const onDecided = async () => {
    await reload();
    refocus(() => list.current?.querySelector<HTMLElement>('[data-decision]'));
  };
  const editorialCalls = editorial.data?.items ?? [];
  const callRequests = requests.data ? waitingOf(requests.data) : [];
  const isEmpty = missing.length === 0 && callRequests.length + editorialCalls.length === 0;
  return (
    <>
      <output className="sr-only">{isEmpty ? t('empty') : ''}</output>
      {isEmpty && <p className="border-b border-rule py-5 text-sm text-ink-2">{t('empty')}</p>}
      {missing.length > 0 && (
        <NotLoaded
          title={t('loadFailed')}
          error={missing.find(({ error }) => error !== undefined)?.error}
          loading={t('loading')}
          onRetry={reload}
        />
      )}
      <ul ref={list} aria-label={t('list')}>
        {editorialCalls.map((call) => (
          <CallRow
            key={call.partId}
            call={{ ...call, id: call.toolCallId }}
            complete={paths.approval(call.sessionId, call.approvalId)}
            asks={t('authorAsks', { name: call.userName })}
            agreed={t('agreed')}
            decide={(approved, reason) => decideEditorial(call, approved, reason)}
            onDecided={() => void onDecided()}
          />
        ))}
        {callRequests.map((request) => (
          <CallRow
            key={request.id}
            call={request}
            complete={paths.callRequest(request.id)}
            asks={asksText(request.keyName, request.userId === me?.id ? null : request.userName)}
            agreed={t('approved')}
            isElsewhere={me?.role === 'author'}
            decide={(approved, reason) => decideCall(request.id, { approved, ...(reason !== undefined && { reason }) })}
            onDecided={() => void onDecided()}
          />
        ))}
      </ul>
    </>
  );
}

/**
 * Who asks for a call.
 * @param keyName null: a program without a key
 * @param owner person whose key it is; null: the reader's own
 */
function asksText(keyName: string | null, owner: string | null): string {
  const has = { hasKey: String(keyName !== null), hasOwner: String(owner !== null) };
  return t('asks', { ...has, key: keyName ?? '', owner: owner ?? '' });
}

/** True for a list that is loading or has failed. A list that is not requested for this person is not missing. */
function isMissing({ data, error, isLoading }: Pick<SWRResponse<object, Error>, 'data' | 'error' | 'isLoading'>) {
  return data === undefined && (isLoading || error !== undefined);
}

interface CallRowProps {
  readonly call: Pick<CallRequest, 'id' | 'siteId' | 'toolName' | 'input' | 'effect' | 'createdAt'>;
  /** Address of the call with its complete effect. */
  readonly complete: ApprovalEffectProps['complete'];
  /** Text that names the requester. */
  readonly asks: string;
  /** Message shown after approval. */
  readonly agreed: string;
  /** True if another person has to approve. Default false. */
  readonly isElsewhere?: boolean;
  readonly decide: (approved: boolean, reason?: string) => Promise<unknown>;
  readonly onDecided: () => void;
}

/** A waiting call: the requester, its effect, and the two decisions. */
function CallRow({ call, complete, asks, agreed, isElsewhere = false, decide, onDecided }: CallRowProps) {
  const { id, siteId, toolName, input, effect, createdAt } = call;
  const { items, standardId } = useSites();
  const site = items.length > 1 ? items.find((each) => each.id === siteId) : undefined;
  const [isDeciding, setIsDeciding] = useState(false);
  const title = toolTitle({ ...NOT_RUN, id, name: toolName, input, effect });

  const answer = async (approved: boolean, reason?: string) => {
    setIsDeciding(true);
    try {
      await decide(approved, reason);
      toast(approved ? agreed : t('denied'));
    } catch (error) {
      setIsDeciding(false);
      reportFailure(error);
    }
    // Also if the server refused the decision: the call was decided elsewhere or has ended, and the reloaded list shows
    // that.
    onDecided();
  };

  return (
    <li data-tool={toolName} className="border-b border-rule py-4">
      <p className="flex flex-wrap gap-x-4 text-xs text-ink-3">
        <span>{asks}</span>
        {site && <span>{nameOfSite(site)}</span>}
        <span>
          {t('until')} <TimeAgo time={createdAt} />
        </span>
      </p>
      <h3 className="mt-0.5 text-base font-medium [overflow-wrap:anywhere]">{title}</h3>
      {effect && (
        <ApprovalEffect
          effect={effect}
          complete={complete}
          previewOf={(path) => previewHref(path, 'draft', null, rootsOf(siteId, siteId === standardId))}
        />
      )}
      <details open={!effect} className="mt-2 text-sm">
        <summary className="w-fit cursor-pointer rounded text-ink-2 hover:text-ink">{t('details')}</summary>
        <div className="mt-2 max-h-72 overflow-auto">
          <ValueView value={input} />
        </div>
      </details>
      <DecisionButtons
        call={{ name: toolName, input, effect }}
        isDisabled={isDeciding}
        isElsewhere={isElsewhere}
        title={title}
        onDecide={(approved, reason) => void answer(approved, reason)}
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
  approvalId: null,
  durationMs: null,
  cleared: null,
  summary: null,
  isWriting: false,
} as const;
