'use client';

import { ArrowUp, ListPlus } from 'lucide-react';
import { useEffect, useId, useRef, useSyncExternalStore } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { draftAt, returnToDraft, subscribeToDrafts, writeDraft } from '#lib/drafts';
import { reportUnsent } from '#lib/report-unsent';
import { strings } from '#lib/strings';

interface ComposerProps {
  /** Remembers an unsent text while another conversation is on screen. */
  readonly draftKey: string;
  /** A turn runs: what is sent now waits for its end. */
  readonly isBusy: boolean;
  /** Rejects when the text was not taken; it is then put back. */
  readonly onSend: (text: string) => Promise<void>;
  /** Controls in the bottom row: model, context. */
  readonly children?: ReactNode;
}

/** Where the user writes. Enter sends, Shift+Enter starts a new line. */
export function Composer({ draftKey, isBusy, onSend, children }: ComposerProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSyncExternalStore(
    subscribeToDrafts,
    () => draftAt(draftKey),
    () => '',
  );
  const isEmpty = text.trim() === '';

  useEffect(() => {
    // Where there is a keyboard anyway; on a phone it would cover half of the page.
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus();
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

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
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
          {strings.composer.hint}
        </span>
        <div className="ml-auto flex items-center gap-1">
          {children}
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
