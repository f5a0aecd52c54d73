import clsx from 'clsx';
import { Ban, Check, ChevronRight, CircleAlert, EyeOff, Hourglass, LoaderCircle } from 'lucide-react';
import { memo, useState } from 'react';
import type { ReactNode } from 'react';
import { useChatActions } from '#components/chat/chat-actions';
import { FileList } from '#components/chat/parts/file-list';
import { ValueView } from '#components/chat/parts/value-view';
import { CopyButton } from '#components/ui/copy-button';
import { Tip } from '#components/ui/tip';
import { duration } from '#lib/ui/format';
import { strings } from '#lib/strings';
import type { ToolCall } from '#lib/chat/tool-call';
import { entryOf, sectionsOfCall } from '#lib/chat/tool-entry';
import { toolTitle } from '#lib/chat/tool-titles';

function StateIcon({ call }: { readonly call: ToolCall }) {
  switch (call.state) {
    case 'running':
      return <LoaderCircle aria-label={strings.tool.running} className="size-4 shrink-0 animate-spin text-accent" />;
    case 'waiting':
      return <Hourglass aria-label={strings.tool.waiting} className="size-4 shrink-0 text-amber" />;
    case 'approved':
      return <Check aria-label={strings.tool.approved} className="size-4 shrink-0 text-accent" />;
    case 'denied':
      return <Ban aria-label={strings.tool.denied} className="size-4 shrink-0 text-ink-3" />;
    case 'error':
      return <CircleAlert aria-label={strings.tool.failed} className="size-4 shrink-0 text-red" />;
    case 'done':
      return <Check aria-label={strings.tool.done} className="size-4 shrink-0 text-ink-3" />;
  }
}

/** What there is to say under the title of a call that was not done. */
function refusalOf(call: ToolCall): string | null {
  if (call.state === 'error') return call.error;
  return call.state === 'denied' ? strings.tool.deniedNote(call.reason) : null;
}

function Details({ call }: { readonly call: ToolCall }) {
  const result = call.error === null ? call.output : call.error;
  return (
    // Scrolls, so it takes the focus: the arrow keys reach what is below.
    <section
      aria-label={strings.tool.details}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="grid max-h-[28rem] gap-x-6 gap-y-4 overflow-auto border-t border-rule bg-paper/70 px-3 py-3 text-sm sm:grid-cols-2"
    >
      {call.cleared !== null && (
        <p className="text-ink-2 sm:col-span-2">
          {call.cleared === 'whole' ? strings.tool.clearedHint : strings.tool.excerptHint}
        </p>
      )}
      <section className="min-w-0">
        <Heading text={strings.tool.input}>
          <CopyButton text={plainText(call.input)} label={strings.tool.copyInput} />
        </Heading>
        <ValueView value={call.input} />
      </section>
      <section className="min-w-0">
        <Heading text={call.error === null ? strings.tool.result : strings.tool.error} isError={call.error !== null}>
          <CopyButton text={plainText(result)} label={strings.tool.copyResult} />
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

/** As it goes into the clipboard. */
function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

/** Below this it would read 0.0 s; ms. */
const MEASURABLE = 50;

function durationText(milliseconds: number): string {
  return milliseconds < MEASURABLE ? strings.tool.instant : duration(milliseconds);
}

function Duration({ text }: { readonly text: string }) {
  return (
    <span className="shrink-0 text-xs text-ink-3 tabular-nums">
      <span className="sr-only">{strings.tool.took(text)}</span>
      <span aria-hidden>{text}</span>
    </span>
  );
}

/** That the model does not see the output any more, for those who wonder why it asks again. */
function ClearedMark({ cleared }: { readonly cleared: NonNullable<ToolCall['cleared']> }) {
  const [text, hint] =
    cleared === 'whole'
      ? [strings.tool.cleared, strings.tool.clearedHint]
      : [strings.tool.excerpt, strings.tool.excerptHint];
  return (
    <Tip text={hint}>
      <button type="button" aria-label={text} className="cursor-help rounded p-1 text-ink-3 hover:text-ink-2">
        <EyeOff aria-hidden className="size-3.5" />
      </button>
    </Tip>
  );
}

/** One tool call: what was done in plain words, with its input and result to unfold. */
export const ToolPart = memo(
  function ToolPart({ call }: { readonly call: ToolCall }) {
    const [isOpen, setIsOpen] = useState(false);
    const { showEntry } = useChatActions();
    const entry = call.name === 'delete_content' ? null : entryOf(call);
    const title = toolTitle(call);
    const refusal = refusalOf(call);
    return (
      <li data-tool={call.name} data-state={call.state} className="animate-rise">
        <div className="flex min-h-10 items-center gap-2 pr-2 pl-3">
          <StateIcon call={call} />
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
            className="group/tool flex min-w-0 flex-1 items-center gap-1 rounded py-2 text-left text-sm"
          >
            <span className={clsx('truncate', call.state === 'error' && 'text-red')}>{title}</span>
            <ChevronRight
              aria-hidden
              className={clsx('size-3.5 shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-90')}
            />
          </button>
          {call.cleared !== null && <ClearedMark cleared={call.cleared} />}
          {call.durationMs !== null && <Duration text={durationText(call.durationMs)} />}
          {entry && (
            <button
              type="button"
              aria-label={strings.tool.showLabel(entry.title)}
              onClick={() => showEntry(entry, sectionsOfCall(call))}
              className="rounded-md px-2 py-1 text-sm font-medium text-accent hover:bg-accent-wash"
            >
              {strings.tool.show}
            </button>
          )}
        </div>
        {refusal !== null && !isOpen && <p className="px-3 pb-2.5 pl-9 text-sm text-ink-2">{refusal}</p>}
        {call.images.length > 0 && (
          <div className="pr-3 pb-3 pl-4.5">
            <FileList files={call.images} label={strings.tool.images} />
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
