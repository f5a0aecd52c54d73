'use client';

import { ArrowUp, ListPlus, Square } from 'lucide-react';
import { IconButton } from '#components/ui/icon-button';
import { useEffect, useId, useRef, useSyncExternalStore } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { draftAt, returnToDraft, subscribeToDrafts, writeDraft } from '#lib/drafts';
import { reportUnsent } from '#lib/report-failure';
import { strings } from '#lib/strings';

interface ComposerProps {
  /** Remembers an unsent text while another conversation is on screen. */
  readonly draftKey: string;
  /** A turn runs: what is sent now waits. */
  readonly isBusy: boolean;
  /** The turn is being stopped. */
  readonly isStopping?: boolean;
  /** Absent where nothing can run. */
  readonly onStop?: () => void;
  /** Rejects when the text was not taken; it is then put back. */
  readonly onSend: (text: string) => Promise<void>;
  /** Controls in the bottom row: model, context. */
  readonly children?: ReactNode;
}

/** Where there is a keyboard anyway; on a phone it would cover half of the page. */
function focusByPointer(field: HTMLElement | null): void {
  if (window.matchMedia('(pointer: fine)').matches) field?.focus();
}

/** Where the user writes, always. Enter sends, Shift+Enter starts a new line, Escape stops the running turn. */
export function Composer({ draftKey, isBusy, isStopping = false, onStop, onSend, children }: ComposerProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSyncExternalStore(
    subscribeToDrafts,
    () => draftAt(draftKey),
    () => '',
  );
  const isEmpty = text.trim() === '';

  useEffect(() => {
    focusByPointer(field.current);
  }, []);

  const submit = async () => {
    if (isEmpty) return;
    const sent = text.trim();
    writeDraft(draftKey, '');
    try {
      await onSend(sent);
    } catch (error) {
      returnToDraft(draftKey, sent);
      reportUnsent(error);
    }
    field.current?.focus();
  };

  const stop = () => {
    focusByPointer(field.current);
    onStop?.();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && isBusy) stop();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    void submit();
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      className="rounded-xl border border-rule-strong bg-sheet shadow-sheet transition-colors focus-within:border-accent"
    >
      <label htmlFor={id} className="sr-only">
        {strings.composer.label}
      </label>
      <textarea
        ref={field}
        id={id}
        rows={1}
        value={text}
        placeholder={isBusy ? strings.composer.placeholderBusy : strings.composer.placeholder}
        aria-describedby={`${id}-hint`}
        onChange={(event) => writeDraft(draftKey, event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content block max-h-52 min-h-12 w-full resize-none bg-transparent px-4 pt-3 pb-1 text-base outline-none placeholder:text-ink-3"
      />
      <div className="flex items-center gap-1 px-2 pb-2">
        <span id={`${id}-hint`} className="hidden flex-1 truncate px-2 text-xs text-ink-3 @md:block">
          {isStopping ? strings.composer.stopping : isBusy ? strings.composer.hintBusy : strings.composer.hint}
        </span>
        <div className="ml-auto flex items-center gap-1">
          {children}
          {isBusy && onStop && (
            <IconButton
              label={isStopping ? strings.composer.stopping : strings.composer.stop}
              icon={<Square aria-hidden className="fill-current" />}
              aria-disabled={isStopping}
              onClick={stop}
              className="ml-1 border border-rule-strong aria-disabled:animate-breathe [&_svg]:size-3!"
            />
          )}
          <button
            type="submit"
            aria-label={isBusy ? strings.composer.queue : strings.composer.send}
            disabled={isEmpty}
            className="ml-1 inline-flex size-8 items-center justify-center rounded-lg bg-accent text-accent-ink transition-colors hover:bg-accent-strong disabled:bg-rule disabled:text-ink-3 [&_svg]:size-4"
          >
            {isBusy ? <ListPlus aria-hidden /> : <ArrowUp aria-hidden strokeWidth={2.25} />}
          </button>
        </div>
      </div>
    </form>
  );
}
