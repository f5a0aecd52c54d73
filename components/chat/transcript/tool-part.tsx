import clsx from 'clsx';
import {
  Ban,
  Check,
  ChevronRight,
  CircleAlert,
  EyeOff,
  Hourglass,
  LoaderCircle,
  ShieldQuestionMark,
} from 'lucide-react';
import { memo, type ReactNode, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useMe } from '#components/access/access-client';
import { ApprovalEffect, Decision } from '#components/calls/approval-effect';
import { ValueView } from '#components/calls/value-view';
import type { ToolCall } from '#components/chat/session/tool-call';
import { entryOf, sectionsOfCall } from '#components/chat/session/tool-entry';
import { CardUndo, LiveLink } from '#components/chat/transcript/card-actions';
import { toolTitle } from '#components/chat/session/tool-titles';
import { useChatActions } from '#components/chat/transcript/chat-actions';
import { FileList } from '#components/chat/transcript/file-part';
import { Button, CopyButton, Tip } from '#components/ui/buttons';
import { refocus } from '#components/ui/focus';
import { duration } from '#components/ui/times';
import { reportFailure } from '#components/ui/toasts';
import { approvalStrings, toolStrings } from '#components/calls/words';
import type { ApprovalDecision } from '#server/core/approvals';

function StateIcon({ call }: { readonly call: ToolCall }) {
  switch (call.state) {
    case 'running':
      return <LoaderCircle aria-label={toolStrings.running} className="size-4 shrink-0 animate-spin text-accent" />;
    case 'waiting':
      return <Hourglass aria-label={toolStrings.waiting} className="size-4 shrink-0 text-amber" />;
    case 'approved':
      return <Check aria-label={toolStrings.approved} className="size-4 shrink-0 text-accent" />;
    case 'denied':
      return <Ban aria-label={toolStrings.denied} className="size-4 shrink-0 text-ink-3" />;
    case 'error':
      return <CircleAlert aria-label={toolStrings.failed} className="size-4 shrink-0 text-red" />;
    case 'done':
      return <Check aria-label={toolStrings.done} className="size-4 shrink-0 text-ink-3" />;
  }
}

/** Text under the title of a call that was not run. */
function refusalOf(call: ToolCall): string | null {
  if (call.state === 'error') return call.error;
  return call.state === 'denied' ? toolStrings.deniedNote(call.reason) : null;
}

function Details({ call }: { readonly call: ToolCall }) {
  const result = call.error === null ? call.output : call.error;
  return (
    // Scrolls, so it takes the focus: the arrow keys reach what is below.
    <section
      aria-label={toolStrings.details}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="grid max-h-[28rem] gap-x-6 gap-y-4 overflow-auto border-t border-rule bg-paper/70 px-3 py-3 text-sm sm:grid-cols-2"
    >
      {call.cleared !== null && (
        <p className="text-ink-2 sm:col-span-2">
          {call.cleared === 'whole' ? toolStrings.clearedHint : toolStrings.excerptHint}
        </p>
      )}
      <section className="min-w-0">
        <Heading text={toolStrings.input}>
          <CopyButton text={plainText(call.input)} label={toolStrings.copyInput} />
        </Heading>
        <ValueView value={call.input} />
      </section>
      <section className="min-w-0">
        <Heading text={call.error === null ? toolStrings.result : toolStrings.error} isError={call.error !== null}>
          <CopyButton text={plainText(result)} label={toolStrings.copyResult} />
        </Heading>
        <ValueView value={result} />
      </section>
    </section>
  );
}

function Heading({ text, isError = false, children }: { text: string; isError?: boolean; children: ReactNode }) {
  return (
    <div className="mb-1 flex items-center justify-between gap-2">
      <h4 className={clsx('text-xs font-medium', isError ? 'text-red' : 'text-ink-3')}>{text}</h4>
      {children}
    </div>
  );
}

/** A value as text for the clipboard. */
function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

/** Shortest measurable duration; shorter ones would read 0.0 s; ms. */
const MEASURABLE = 50;

function durationText(milliseconds: number): string {
  return milliseconds < MEASURABLE ? toolStrings.instant : duration(milliseconds);
}

function Duration({ text }: { readonly text: string }) {
  return (
    <span className="shrink-0 text-xs text-ink-3 tabular-nums">
      <span className="sr-only">{toolStrings.took(text)}</span>
      <span aria-hidden>{text}</span>
    </span>
  );
}

/** Says that the model no longer sees the output, which explains repeated calls. */
function ClearedMark({ cleared }: { readonly cleared: NonNullable<ToolCall['cleared']> }) {
  const [text, hint] =
    cleared === 'whole'
      ? [toolStrings.cleared, toolStrings.clearedHint]
      : [toolStrings.excerpt, toolStrings.excerptHint];
  return (
    <Tip text={hint}>
      <button type="button" aria-label={text} className="cursor-help rounded p-1 text-ink-3 hover:text-ink-2">
        <EyeOff aria-hidden className="size-3.5" />
      </button>
    </Tip>
  );
}

/** One tool call with its title; unfolds to its input and result. */
export const ToolPart = memo(
  function ToolPart({ call }: { readonly call: ToolCall }) {
    const [isOpen, setIsOpen] = useState(false);
    const { showEntry } = useChatActions();
    const entry = call.name === 'delete_content' ? null : entryOf(call);
    const title = toolTitle(call);
    const refusal = refusalOf(call);
    return (
      <li data-tool={call.name} data-state={call.state} className="animate-rise">
        <div className="flex min-h-10 flex-wrap items-center gap-x-2 pr-2 pl-3">
          <StateIcon call={call} />
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
            className="group/tool flex min-w-0 flex-1 basis-44 items-center gap-1 rounded py-2 text-left text-sm"
          >
            <span className={clsx('[overflow-wrap:anywhere]', call.state === 'error' && 'text-red')}>{title}</span>
            <ChevronRight
              aria-hidden
              className={clsx('size-3.5 shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-90')}
            />
          </button>
          {/* As one, so that what does not fit beside the title is together below it. */}
          <div className="ml-auto flex flex-wrap items-center justify-end gap-x-2 py-1">
            {call.cleared !== null && <ClearedMark cleared={call.cleared} />}
            {call.durationMs !== null && <Duration text={durationText(call.durationMs)} />}
            {call.state === 'done' && <LiveLink call={call} />}
            {call.state === 'done' && <CardUndo call={call} />}
            {entry && (
              <button
                type="button"
                aria-label={toolStrings.showLabel(entry.title)}
                onClick={() => showEntry(entry, sectionsOfCall(call))}
                className="rounded-md px-2 py-1 text-sm font-medium text-accent hover:bg-accent-wash"
              >
                {toolStrings.show}
              </button>
            )}
          </div>
        </div>
        {refusal !== null && !isOpen && <p className="px-3 pb-2.5 pl-9 text-sm text-ink-2">{refusal}</p>}
        {call.images.length > 0 && (
          <div className="pr-3 pb-3 pl-4.5">
            <FileList files={call.images} label={toolStrings.images} />
          </div>
        )}
        {isOpen && <Details call={call} />}
      </li>
    );
  },
  ({ call: a }, { call: b }) =>
    a.id === b.id &&
    a.state === b.state &&
    a.input === b.input &&
    a.error === b.error &&
    a.reason === b.reason &&
    a.durationMs === b.durationMs &&
    a.cleared === b.cleared &&
    a.name === b.name,
);

interface ApprovalPartProps {
  /** Calls that wait for the user's word. */
  readonly calls: readonly ToolCall[];
  /** The turn has not ended yet: nothing can be decided before. */
  readonly isLive: boolean;
}

/** Tool calls that are not run before the user allows it, one by one or all together. */
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
      // At once: a button that is still disabled in the next frame could not be given the focus.
      flushSync(() => setIsDeciding(false));
      refocus(() => section.current?.querySelector<HTMLElement>('[data-decision]:enabled'));
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
            {approvalStrings.title(calls.length)}
          </h2>
          <p className="text-sm text-ink-2">{isElsewhere ? approvalStrings.editorial : approvalStrings.body}</p>
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
            onDecide={(decision) => void submit([decision])}
          />
        ))}
      </ul>
      {calls.length > 1 && (
        <footer className="flex flex-wrap justify-end gap-2 border-t border-rule bg-paper/70 px-3 py-2">
          <Button disabled={isDisabled} onClick={() => decideAll(false)}>
            {isElsewhere ? approvalStrings.withdraw : approvalStrings.denyAll}
          </Button>
          {!isElsewhere && (
            <Button variant="primary" data-decision="all" disabled={isDisabled} onClick={() => decideAll(true)}>
              {approvalStrings.approveAll}
            </Button>
          )}
        </footer>
      )}
    </section>
  );
}

interface ApprovalRowProps {
  readonly call: ToolCall;
  /** No other call waits beside it. */
  readonly isAlone: boolean;
  readonly isDisabled: boolean;
  readonly isElsewhere: boolean;
  readonly onDecide: (decision: ApprovalDecision) => void;
}

function ApprovalRow({ call, isAlone, isDisabled, isElsewhere, onDecide }: ApprovalRowProps) {
  // Where it is not told what the call would do, what was asked for is all there is to decide on.
  const [isOpen, setIsOpen] = useState(!call.effect && Object.keys(Object(call.input) as object).length > 0);
  const title = toolTitle(call);
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
          className={`size-3.5 shrink-0 text-ink-3 transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      {call.effect && <ApprovalEffect effect={call.effect} />}
      {isOpen && (
        <div className="mt-2 max-h-72 overflow-auto text-sm">
          <ValueView value={call.input} />
        </div>
      )}
      <Decision
        call={call}
        isDisabled={isDisabled}
        isElsewhere={isElsewhere}
        {...(!isAlone && { title })}
        onDecide={(approved) => onDecide({ toolCallId: call.id, approved })}
      />
    </li>
  );
}
