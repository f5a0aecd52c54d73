import { Check, CloudAlert, X } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react';
import type { PageEditor } from '#components/editor/page-editor';
import type { PageEditorState } from '#components/editor/pending-values';
import { panelStrings } from '#components/editor/panel-words';
import { undoBeyondText } from '#components/editor/typed-value';
import { IconButton } from '#components/ui/buttons';
import { keepFieldInView, showField } from '#components/ui/field-in-view';
import { refocus } from '#components/ui/focus';
import clsx from 'clsx';
import { useConnection } from '#components/api/use-connection';
import { saveWords } from '#components/editor/page-status';

const say = panelStrings;

interface PanelProps {
  readonly title: string;
  readonly state: PageEditorState;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A panel beside the page where there is room, else a sheet below it. The page stays in use; Escape closes the panel,
 * and the focus goes back to where it was.
 */
export function Panel({ title, state, onClose, children }: PanelProps) {
  const heading = useId();
  const [takeFocus] = useState(borrowFocus);
  useEffect(keepFieldInView, []);
  return (
    <dialog
      open
      ref={takeFocus}
      data-panel=""
      tabIndex={-1}
      aria-labelledby={heading}
      onKeyDown={(event) => {
        undoBeyondText(event);
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
      className="pointer-events-auto static m-0 flex h-[58%] max-h-none min-h-0 w-full max-w-none shrink-0 animate-rise flex-col border-0 border-t border-rule bg-paper p-0 text-ink outline-none max-[899px]:h-[62%] max-[899px]:[@media(max-height:500px)]:h-full max-[899px]:rounded-t-xl max-[899px]:shadow-sheet @min-[46rem]:h-auto @min-[46rem]:w-88 @min-[46rem]:border-t-0 @min-[46rem]:border-l"
    >
      <header className="flex min-h-12 shrink-0 items-center gap-2 border-b border-rule py-1.5 pr-2 pl-4">
        <h2 id={heading} className="max-w-1/2 shrink-0 truncate font-serif text-lg font-medium">
          {title}
        </h2>
        <SaveMark state={state} />
        <IconButton label={say.close} icon={<X aria-hidden />} onClick={onClose} />
      </header>
      {/* A text that grows as it is written stays whole in view. */}
      <div onInput={showField} className="flex min-h-0 flex-1 scroll-py-4 flex-col gap-5 overflow-y-auto p-4 pb-10">
        {children}
      </div>
    </dialog>
  );
}

interface WritingPlacesProps {
  readonly editor: PageEditor;
  /** Null: of the page itself. */
  readonly sectionId: string | null;
  readonly children: ReactNode;
}

/** Tells others which field the cursor is in: controls name their places in `data-place`. */
export function WritingPlaces({ editor, sectionId, children }: WritingPlacesProps) {
  const leave = useEffectEvent(() => editor.writing(null));
  useEffect(() => () => leave(), []);
  return (
    <div
      className="contents"
      onFocus={({ target }) => {
        const field = target.closest<HTMLElement>('[data-place]')?.dataset['place'];
        editor.writing(field === undefined ? null : { sectionId, field }, 'beside');
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget)) editor.writing(null);
      }}
    >
      {children}
    </div>
  );
}

/** For the `ref` of a panel: takes the focus while it is there, and gives it back unless it has gone elsewhere. */
function borrowFocus(): (element: HTMLElement | null) => (() => void) | undefined {
  const former = document.activeElement;
  return (element) => {
    element?.focus({ preventScroll: true });
    return () => {
      if (element?.contains(document.activeElement) !== true) return;
      if (former instanceof HTMLElement) former.focus({ preventScroll: true });
      refocus();
    };
  };
}

/** Says whether what was written is saved. */
function SaveMark({ state: { save, problem } }: { readonly state: PageEditorState }) {
  const words = saveWords(save, problem, useConnection() === 'offline');
  const isTrouble = save === 'failed' || save === 'conflict';
  return (
    <output
      className={clsx(
        'flex min-w-0 flex-1 items-center justify-end gap-1 text-right text-xs',
        isTrouble ? 'text-red' : 'text-ink-3',
      )}
      title={words}
    >
      {save === 'saved' && <Check aria-hidden className="size-3.5 shrink-0" />}
      {isTrouble && <CloudAlert aria-hidden className="size-3.5 shrink-0" />}
      <span className="line-clamp-2">{words}</span>
    </output>
  );
}
