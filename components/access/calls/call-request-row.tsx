import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { toast } from 'sonner';
import { TimeAgo } from '#components/admin/time-ago';
import { ApprovalEffect } from '#components/chat/parts/approval-effect';
import { DenialForm } from '#components/chat/parts/denial-form';
import { ValueView } from '#components/chat/parts/value-view';
import { Button } from '#components/ui/button';
import { decideCall } from '#lib/access/calls-client';
import { reportFailure } from '#lib/ui/report-failure';
import { callStrings as text } from '#lib/strings/calls';
import { toolTitle } from '#lib/chat/tool-titles';
import type { CallRequest } from '#server/core/call-requests';

interface CallRequestRowProps {
  readonly request: CallRequest;
  readonly isOwn: boolean;
  readonly onDecided: () => void;
}

/** A call of another assistant: who asks, what it would do, and the two answers. */
export function CallRequestRow({ request, isOwn, onDecided }: CallRequestRowProps) {
  const { id, toolName, input, effect, keyName, userName, createdAt } = request;
  const [isDeciding, setIsDeciding] = useState(false);
  const [isDenying, setIsDenying] = useState(false);
  const denyButton = useRef<HTMLButtonElement>(null);
  const title = toolTitle({ ...NOT_RUN, id, name: toolName, input, effect });

  const decide = async (decision: { readonly approved: boolean; readonly reason?: string }) => {
    setIsDeciding(true);
    try {
      await decideCall(id, decision);
      toast(decision.approved ? text.approved : text.denied);
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
      <div className="mt-0.5 flex flex-wrap items-start justify-between gap-x-8 gap-y-2">
        <h3 className="min-w-0 flex-1 basis-72 text-base font-medium [overflow-wrap:anywhere]">{title}</h3>
        {!isDenying && (
          <span className="flex gap-2">
            <Button
              ref={denyButton}
              disabled={isDeciding}
              aria-label={text.denyOf(title)}
              onClick={() => setIsDenying(true)}
            >
              {text.deny}
            </Button>
            <Button
              variant="primary"
              disabled={isDeciding}
              aria-label={text.approveOf(title)}
              onClick={() => void decide({ approved: true })}
            >
              {text.approve}
            </Button>
          </span>
        )}
      </div>
      {isDenying && (
        <DenialForm
          isDisabled={isDeciding}
          onBack={() => {
            flushSync(() => setIsDenying(false));
            denyButton.current?.focus();
          }}
          onDeny={(reason) => void decide({ approved: false, ...(reason !== '' && { reason }) })}
        />
      )}
      {effect && <ApprovalEffect effect={effect} />}
      <details open={!effect} className="mt-2 text-sm">
        <summary className="w-fit cursor-pointer rounded text-ink-2 hover:text-ink">{text.details}</summary>
        <div className="mt-2 max-h-72 overflow-auto">
          <ValueView value={input} />
        </div>
      </details>
    </li>
  );
}

/** What there is to say of a call that waits. */
const NOT_RUN = {
  state: 'waiting',
  output: undefined,
  images: [],
  error: null,
  reason: null,
  durationMs: null,
  cleared: null,
} as const;
