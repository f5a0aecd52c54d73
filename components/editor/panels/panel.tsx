import { Check, CloudAlert, X } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react';
import type { PageEditor } from '#components/editor/model/page-editor.ts';
import type { PageEditorState } from '#components/editor/model/pending-values.ts';
import { translator } from '#components/i18n.ts';
import { undoBeyondText } from '#components/editor/model/undo-beyond-text.ts';
import { useUndoRedo } from '#components/editor/actions/undo-redo-provider';
import { IconButton } from '#components/ui/buttons';
import { keepFieldInView, showField } from '#components/ui/focus/field-in-view.ts';
import { refocus } from '#components/ui/focus/focus.ts';
import clsx from 'clsx';
import { useConnection } from '#components/api/use-connection.ts';
import { saveWords } from '#components/editor/page/page-status';

const t = translator('sectionPanel');

interface PanelProps {
  readonly title: string;
  readonly state: PageEditorState;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A panel next to the page if the screen is wide enough, else a sheet below it. The page stays usable; Escape closes
 * the panel, and the focus returns to its former element.
 */
export function Panel({ title, state, onClose, children }: PanelProps) {
  const heading = useId();
  const undoRedo = useUndoRedo();
  const [takeFocus] = useState(focusWhileMounted);
  useEffect(keepFieldInView, []);
  return (
    <dialog
      open
      ref={takeFocus}
      data-panel=""
      tabIndex={-1}
      aria-labelledby={heading}
      onKeyDown={(event) => {
        undoBeyondText(event, undoRedo);
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
        <IconButton label={t('close')} icon={<X aria-hidden />} onClick={onClose} />
      </header>
      {/* A text field that grows with its content stays completely visible. */}
      <div onInput={showField} className="flex min-h-0 flex-1 scroll-py-4 flex-col gap-5 overflow-y-auto p-4 pb-10">
        {children}
      </div>
    </dialog>
  );
}

interface FocusedFieldReportProps {
  readonly editor: PageEditor;
  /** Null: the page itself. */
  readonly sectionId: string | null;
  readonly children: ReactNode;
}

/** Reports to other users which of the fields within has the cursor: controls name their places in `data-place`. */
export function FocusedFieldReport({ editor, sectionId, children }: FocusedFieldReportProps) {
  const leave = useEffectEvent(() => editor.setFocusedField(null));
  useEffect(() => () => leave(), []);
  return (
    <div
      className="contents"
      onFocus={({ target }) => {
        const field = target.closest<HTMLElement>('[data-place]')?.dataset['place'];
        editor.setFocusedField(field === undefined ? null : { sectionId, field }, 'beside');
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget)) editor.setFocusedField(null);
      }}
    >
      {children}
    </div>
  );
}

/** Ref callback of a panel: takes the focus on mount, and returns it on unmount unless it has moved elsewhere. */
function focusWhileMounted(): (element: HTMLElement | null) => (() => void) | undefined {
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

/** Shows whether the input is saved. */
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
