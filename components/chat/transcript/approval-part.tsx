import clsx from 'clsx';
import { ChevronRight, ShieldQuestionMark } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { translator } from '#components/i18n.ts';
import { useMe } from '#components/access/access-client.ts';
import { paths } from '#components/api/paths.ts';
import { DecisionButtons } from '#components/approvals/decision-buttons';
import { ApprovalEffect } from '#components/approvals/approval-effect';
import { ValueView } from '#components/approvals/value-view';
import type { ToolCall } from '#components/chat/parts/tool-call.ts';
import { toolTitle } from '#components/chat/parts/tool-titles.ts';
import { useChatActions } from '#components/chat/transcript/chat-actions.ts';
import { Button } from '#components/ui/buttons';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { refocus } from '#components/ui/focus/focus.ts';
import { usePreviewHref } from '#components/workspace/site-of-page';
import type { ApprovalDecision } from '#server/core/conversation/approvals';

const t = translator('approval');

interface ApprovalPartProps {
  /** Calls that wait for the user's approval. */
  readonly calls: readonly ToolCall[];
  /** The turn has not ended; no decision is possible before that. */
  readonly isLive: boolean;
}

/** Tool calls that wait for the user's approval, decided one by one or all together. */
export function ApprovalPart({ calls, isLive }: ApprovalPartProps) {
  const { decide } = useChatActions();
  const isElsewhere = useMe()?.role === 'author';
  const titleId = useId();
  const section = useRef<HTMLElement>(null);
  const [isDeciding, setIsDeciding] = useState(false);
  const isDisabled = isLive || isDeciding;

  const submit = async (decisions: readonly ApprovalDecision[]) => {
    setIsDeciding(true);
    try {
      await decide(decisions);
    } catch (error) {
      reportFailure(error);
    } finally {
      // Synchronously, because a button that is still disabled in the next frame could not receive the focus.
      flushSync(() => setIsDeciding(false));
      refocus(() => section.current?.querySelector<HTMLElement>('[data-decision]:enabled'));
    }
  };
  const decideAll = (approved: boolean) => void submit(decisionsOn(calls, approved));

  return (
    <section
      ref={section}
      aria-labelledby={titleId}
      className="overflow-hidden rounded-lg border border-amber/60 bg-sheet font-sans shadow-sheet"
    >
      <header className="flex items-start gap-2.5 px-3 pt-3 pb-2">
        <ShieldQuestionMark aria-hidden className="mt-0.5 size-4 shrink-0 text-amber" />
        <div>
          <h2 id={titleId} className="text-sm font-medium">
            {isElsewhere ? t('editorialTitle', { count: calls.length }) : t('title', { count: calls.length })}
          </h2>
          <p className="text-sm text-ink-2">{isElsewhere ? t('editorial') : t('body')}</p>
        </div>
      </header>
      <ul className="divide-y divide-rule border-t border-rule">
        {calls.map((call) => (
          <ApprovalRow
            key={call.id}
            call={call}
            isAlone={calls.length === 1}
            isDisabled={isDisabled}
            isElsewhere={isElsewhere}
            onDecide={(decisions) => void submit(decisions)}
          />
        ))}
      </ul>
      {calls.length > 1 && (
        <footer className="flex flex-wrap justify-end gap-2 border-t border-rule bg-paper/70 px-3 py-2">
          <Button disabled={isDisabled} onClick={() => decideAll(false)}>
            {isElsewhere ? t('withdraw') : t('denyAll')}
          </Button>
          {!isElsewhere && (
            <Button variant="primary" data-decision="all" disabled={isDisabled} onClick={() => decideAll(true)}>
              {t('approveAll')}
            </Button>
          )}
        </footer>
      )}
    </section>
  );
}

interface ApprovalRowProps {
  readonly call: ToolCall;
  /** True if no other call waits in the same group. */
  readonly isAlone: boolean;
  readonly isDisabled: boolean;
  readonly isElsewhere: boolean;
  readonly onDecide: (decisions: readonly ApprovalDecision[]) => void;
}

/** Decisions about calls; each names the displayed approval. */
function decisionsOn(calls: readonly ToolCall[], approved: boolean): ApprovalDecision[] {
  return calls.flatMap(({ approvalId }) => (approvalId === null ? [] : [{ approvalId, approved }]));
}

function ApprovalRow({ call, isAlone, isDisabled, isElsewhere, onDecide }: ApprovalRowProps) {
  // Unfolded if the effect is unknown, because the input is then all the information for a decision.
  const [isOpen, setIsOpen] = useState(!call.effect && Object.keys(Object(call.input) as object).length > 0);
  const title = toolTitle(call);
  const { session } = useChatActions();
  const hrefOf = usePreviewHref();
  const complete = call.approvalId === null ? null : paths.approval(session.id, call.approvalId);
  return (
    <li data-tool={call.name} data-state={call.state} className="px-3 py-2.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex max-w-full items-center gap-1 rounded text-left text-sm font-medium"
      >
        <span className="[overflow-wrap:anywhere]">{title}</span>
        <ChevronRight
          aria-hidden
          className={clsx('size-3.5 shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-90')}
        />
      </button>
      {call.effect && (
        <ApprovalEffect effect={call.effect} complete={complete} previewOf={(path) => hrefOf(path, 'draft')} />
      )}
      {isOpen && (
        <div className="mt-2 max-h-72 overflow-auto text-sm">
          <ValueView value={call.input} />
        </div>
      )}
      <DecisionButtons
        call={call}
        isDisabled={isDisabled}
        isElsewhere={isElsewhere}
        {...(!isAlone && { title })}
        onDecide={(approved, reason) =>
          onDecide(decisionsOn([call], approved).map((one) => ({ ...one, ...(reason !== undefined && { reason }) })))
        }
      />
    </li>
  );
}
