import clsx from 'clsx';
import { Ban, Check, ChevronRight, CircleAlert, EyeOff, Hourglass, LoaderCircle } from 'lucide-react';
import { memo, type ReactNode, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { ValueView } from '#components/approvals/value-view';
import { ChangeDetail } from '#components/changes/change-detail';
import { textField, type ToolCall } from '#components/chat/parts/tool-call.ts';
import { entryOf, sectionsOfCall } from '#components/chat/parts/tool-entry.ts';
import { CardUndo, LiveLink } from '#components/chat/transcript/card-actions';
import { toolTitle } from '#components/chat/parts/tool-titles.ts';
import { useChatActions } from '#components/chat/transcript/chat-actions.ts';
import { FileList } from '#components/chat/transcript/file-part';
import { writtenSoFar } from '#components/chat/transcript/written-amount.ts';
import { Tip } from '#components/ui/tip';
import { CopyButton } from '#components/ui/controls/copy-button';
import { duration } from '#components/ui/times.ts';

const t = translator('tools');

function StateIcon({ call }: { readonly call: ToolCall }) {
  switch (call.state) {
    case 'running':
      return <LoaderCircle aria-label={t('running')} className="size-4 shrink-0 animate-spin text-accent" />;
    case 'waiting':
      return <Hourglass aria-label={t('waiting')} className="size-4 shrink-0 text-amber" />;
    case 'approved':
      return <Check aria-label={t('approved')} className="size-4 shrink-0 text-accent" />;
    case 'denied':
      return <Ban aria-label={t('denied')} className="size-4 shrink-0 text-ink-3" />;
    case 'error':
      return <CircleAlert aria-label={t('failed')} className="size-4 shrink-0 text-red" />;
    case 'done':
      return <Check aria-label={t('done')} className="size-4 shrink-0 text-ink-3" />;
  }
}

/** Text below the title of a call that did not run. */
function refusalOf(call: ToolCall): string | null {
  if (call.state === 'error') return call.error;
  return call.state === 'denied'
    ? t('deniedNote', { hasReason: String(call.reason !== null), reason: call.reason ?? '' })
    : null;
}

function Details({ call }: { readonly call: ToolCall }) {
  const result = call.error === null ? call.output : call.error;
  const changeId = call.state === 'done' ? textField(call.output, 'changeId') : undefined;
  return (
    // Focusable because it scrolls: the arrow keys reach its lower part.
    <section
      aria-label={t('details')}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="grid max-h-[28rem] gap-x-6 gap-y-4 overflow-auto border-t border-rule bg-paper/70 px-3 py-3 text-sm sm:grid-cols-2"
    >
      {call.cleared !== null && (
        <p className="text-ink-2 sm:col-span-2">{call.cleared === 'whole' ? t('clearedHint') : t('excerptHint')}</p>
      )}
      {changeId === undefined ? (
        <CallValues call={call} result={result} />
      ) : (
        <>
          <div className="min-w-0 sm:col-span-2">
            <ChangeDetail changeId={changeId} />
          </div>
          <details className="min-w-0 sm:col-span-2">
            <summary className="cursor-pointer rounded text-xs text-ink-3 hover:text-ink">{t('technical')}</summary>
            <div className="mt-2 grid gap-x-6 gap-y-4 sm:grid-cols-2">
              <CallValues call={call} result={result} />
            </div>
          </details>
        </>
      )}
    </section>
  );
}

/** Input and result of a call as fields. */
function CallValues({ call, result }: { readonly call: ToolCall; readonly result: unknown }) {
  return (
    <>
      <section className="min-w-0">
        <Heading text={t('input')}>
          <CopyButton text={plainText(call.input)} label={t('copyInput')} />
        </Heading>
        <ValueView value={call.input} />
      </section>
      <section className="min-w-0">
        <Heading text={call.error === null ? t('result') : t('error')} isError={call.error !== null}>
          <CopyButton text={plainText(result)} label={t('copyResult')} />
        </Heading>
        <ValueView value={result} />
      </section>
    </>
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

/** Shortest displayed duration, because less would read 0.0 s. */
const SHORTEST_SHOWN_MS = 50;

function durationText(milliseconds: number): string {
  return milliseconds < SHORTEST_SHOWN_MS ? t('instant') : duration(milliseconds);
}

function Duration({ text }: { readonly text: string }) {
  return (
    <span className="shrink-0 text-xs text-ink-3 tabular-nums">
      <span className="sr-only">{t('took', { duration: text })}</span>
      <span aria-hidden>{text}</span>
    </span>
  );
}

/** Label: the model no longer sees the output, which explains repeated calls. */
function ClearedMark({ cleared }: { readonly cleared: NonNullable<ToolCall['cleared']> }) {
  const [text, hint] = cleared === 'whole' ? [t('cleared'), t('clearedHint')] : [t('excerpt'), t('excerptHint')];
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
    const title = writtenSoFar(call) ?? toolTitle(call);
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
            <span className={clsx('tabular-nums [overflow-wrap:anywhere]', call.state === 'error' && 'text-red')}>
              {title}
            </span>
            <ChevronRight
              aria-hidden
              className={clsx('size-3.5 shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-90')}
            />
          </button>
          {/* One element, so that items that do not fit next to the title wrap together. */}
          <div className="ml-auto flex flex-wrap items-center justify-end gap-x-2 py-1">
            {call.cleared !== null && <ClearedMark cleared={call.cleared} />}
            {call.durationMs !== null && <Duration text={durationText(call.durationMs)} />}
            {call.state === 'done' && <LiveLink call={call} />}
            {call.state === 'done' && <CardUndo call={call} />}
            {entry && (
              <button
                type="button"
                aria-label={t('showLabel', { title: entry.title })}
                onClick={() => showEntry(entry, sectionsOfCall(call))}
                className="rounded-md px-2 py-1 text-sm font-medium text-accent hover:bg-accent-wash"
              >
                {t('show')}
              </button>
            )}
          </div>
        </div>
        {refusal !== null && !isOpen && <p className="px-3 pb-2.5 pl-9 text-sm text-ink-2">{refusal}</p>}
        {call.images.length > 0 && (
          <div className="pr-3 pb-3 pl-4.5">
            <FileList files={call.images} label={t('images')} />
          </div>
        )}
        {isOpen && <Details call={call} />}
      </li>
    );
  },
  ({ call: a }, { call: b }) =>
    a.id === b.id &&
    a.state === b.state &&
    a.isWriting === b.isWriting &&
    a.input === b.input &&
    a.error === b.error &&
    a.reason === b.reason &&
    a.durationMs === b.durationMs &&
    a.cleared === b.cleared &&
    a.name === b.name,
);
