import clsx from 'clsx';
import { Ban, Check, ChevronRight, CircleAlert, Hourglass, LoaderCircle } from 'lucide-react';
import { memo, useState } from 'react';
import { useChatActions } from '#components/chat/chat-actions';
import { ValueView } from '#components/chat/parts/value-view';
import { strings } from '#lib/strings';
import type { ToolCall } from '#lib/tool-call';
import { entryOf } from '#lib/tool-entry';
import { toolTitle } from '#lib/tool-titles';

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
    <div className="grid max-h-96 gap-4 overflow-auto border-t border-rule bg-paper/70 px-3 py-3 text-sm sm:grid-cols-2">
      <section>
        <h4 className="mb-1 text-xs font-medium text-ink-3">{strings.tool.input}</h4>
        <ValueView value={call.input} />
      </section>
      <section>
        <h4 className={clsx('mb-1 text-xs font-medium', call.error === null ? 'text-ink-3' : 'text-red')}>
          {call.error === null ? strings.tool.result : strings.tool.error}
        </h4>
        <ValueView value={result} />
      </section>
    </div>
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
          {entry && (
            <button
              type="button"
              aria-label={strings.tool.showLabel(entry.title)}
              onClick={() => showEntry(entry)}
              className="rounded-md px-2 py-1 text-sm font-medium text-accent hover:bg-accent-wash"
            >
              {strings.tool.show}
            </button>
          )}
        </div>
        {refusal !== null && !isOpen && <p className="px-3 pb-2.5 pl-9 text-sm text-ink-2">{refusal}</p>}
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
    a.name === b.name,
);
