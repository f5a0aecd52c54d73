import { ChevronRight, ShieldQuestionMark } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useChatActions } from '#components/chat/chat-actions';
import { ApprovalEffect } from '#components/chat/parts/approval-effect';
import { DenialForm } from '#components/chat/parts/denial-form';
import { ValueView } from '#components/chat/parts/value-view';
import { Button } from '#components/ui/button';
import { refocus } from '#lib/focus/refocus';
import { reportFailure } from '#lib/ui/report-failure';
import { strings } from '#lib/strings';
import type { ToolCall } from '#lib/chat/tool-call';
import { toolTitle } from '#lib/chat/tool-titles';
import type { ApprovalDecision } from '#server/core/turns';

interface ApprovalPartProps {
  /** Calls that wait for the user's word. */
  readonly calls: readonly ToolCall[];
  /** The turn has not ended yet: nothing can be decided before. */
  readonly isLive: boolean;
}

/** Tool calls that are not run before the user allows it, one by one or all together. */
export function ApprovalPart({ calls, isLive }: ApprovalPartProps) {
  const { decide } = useChatActions();
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
      setIsDeciding(false);
      refocus(() => section.current?.querySelector<HTMLElement>('button:enabled'));
    }
  };
  const decideAll = (approved: boolean) => void submit(calls.map(({ id }) => ({ toolCallId: id, approved })));

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
            {strings.approval.title(calls.length)}
          </h2>
          <p className="text-sm text-ink-2">{strings.approval.body}</p>
        </div>
      </header>
      <ul className="divide-y divide-rule border-t border-rule">
        {calls.map((call) => (
          <ApprovalRow
            key={call.id}
            call={call}
            isDisabled={isDisabled}
            onDecide={(decision) => void submit([decision])}
          />
        ))}
      </ul>
      {calls.length > 1 && (
        <footer className="flex flex-wrap justify-end gap-2 border-t border-rule bg-paper/70 px-3 py-2">
          <Button variant="ghost" disabled={isDisabled} onClick={() => decideAll(false)}>
            {strings.approval.denyAll}
          </Button>
          <Button variant="primary" disabled={isDisabled} onClick={() => decideAll(true)}>
            {strings.approval.approveAll}
          </Button>
        </footer>
      )}
    </section>
  );
}

interface ApprovalRowProps {
  readonly call: ToolCall;
  readonly isDisabled: boolean;
  readonly onDecide: (decision: ApprovalDecision) => void;
}

function ApprovalRow({ call, isDisabled, onDecide }: ApprovalRowProps) {
  // Where it is not told what the call would do, what was asked for is all there is to decide on.
  const [isOpen, setIsOpen] = useState(!call.effect && Object.keys(Object(call.input) as object).length > 0);
  const [isDenying, setIsDenying] = useState(false);
  const denyButton = useRef<HTMLButtonElement>(null);
  const title = toolTitle(call);
  return (
    <li data-tool={call.name} data-state={call.state} className="px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-w-0 flex-1 basis-48 items-center gap-1 rounded text-left text-sm font-medium"
        >
          <span className="[overflow-wrap:anywhere]">{title}</span>
          <ChevronRight
            aria-hidden
            className={`size-3.5 shrink-0 text-ink-3 transition-transform ${isOpen ? 'rotate-90' : ''}`}
          />
        </button>
        {!isDenying && (
          <span className="ml-auto flex gap-2">
            <Button ref={denyButton} disabled={isDisabled} onClick={() => setIsDenying(true)}>
              {strings.approval.deny}
            </Button>
            <Button
              variant="primary"
              disabled={isDisabled}
              onClick={() => onDecide({ toolCallId: call.id, approved: true })}
            >
              {strings.approval.approve}
            </Button>
          </span>
        )}
      </div>
      {call.effect && <ApprovalEffect effect={call.effect} />}
      {isOpen && (
        <div className="mt-2 max-h-72 overflow-auto text-sm">
          <ValueView value={call.input} />
        </div>
      )}
      {isDenying && (
        <DenialForm
          isDisabled={isDisabled}
          onBack={() => {
            flushSync(() => setIsDenying(false));
            denyButton.current?.focus();
          }}
          onDeny={(reason) => onDecide({ toolCallId: call.id, approved: false, ...(reason === '' ? {} : { reason }) })}
        />
      )}
    </li>
  );
}
