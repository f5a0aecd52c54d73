import clsx from 'clsx';
import {
  type KeyboardEvent,
  type RefObject,
  type TouchEvent,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { neighbourText, textElement } from '#components/editor/page/covered-text.ts';
import { fieldLabels, kindName, pageFieldLabels } from '#components/editor/model/field-labels.ts';
import { fieldAt, type FormField } from '#components/editor/model/form-model.ts';
import { RichTextEditor } from '#components/editor/rich-text/rich-text-editor';
import { type PageEditor, usePageEditor } from '#components/editor/model/page-editor.ts';
import type { PageEditorState } from '#components/editor/model/pending-values.ts';
import { scaleOf } from '#components/editor/model/page-geometry.ts';
import { type FieldPlace, valueAt } from '#components/editor/model/places.ts';
import { remainingCharacters, useTypedValue } from '#components/editor/model/typed-value.ts';
import { undoBeyondText } from '#components/editor/model/undo-beyond-text.ts';
import { useUndoRedo } from '#components/editor/actions/undo-redo-provider';
import { useTextOverlay } from '#components/editor/page/use-text-overlay.ts';
import { isComposing } from '#components/ui/keys.ts';
import { sentence } from '#components/ui/dialogs/submit';
import type { EntryDocument } from '#server/core/site/content';
import { translator } from '#components/i18n.ts';

const t = translator('textEditing');

interface FieldEditorProps {
  /** Window of the draft under the editor. */
  readonly page: Window;
  /** Path of the page on the site. */
  readonly path: string;
  /** The surrounding layer, as large as the page's window. */
  readonly layer: RefObject<HTMLElement | null>;
  readonly place: FieldPlace;
  /** Point of the screen for the cursor; undefined: the end of the text. */
  readonly at: { readonly x: number; readonly y: number } | undefined;
  /** Called after each input with true if the text is invalid: it could not be saved and would be lost. */
  readonly onStuck: (isStuck: boolean) => void;
  /** Called when the user leaves the text; not for an invalid text, unless the user insists with the key. */
  readonly onLeave: (how: 'key' | 'pointer') => void;
  /** Edits another text instead. False if the page does not have it. */
  readonly onGo: (place: FieldPlace) => boolean;
}

/** Edits a text of the page in place, with the page's styles. */
export function FieldEditor(props: FieldEditorProps) {
  const { editor, state } = usePageEditor(props.path);
  const field = state.document && fieldAt(state.document, props.place);
  if (!state.document || !field) return null;
  return <OpenField {...props} editor={editor} state={state} document={state.document} field={field} />;
}

interface OpenFieldProps extends FieldEditorProps {
  readonly editor: PageEditor;
  readonly state: PageEditorState;
  readonly document: EntryDocument;
  readonly field: FormField;
}

/** Accessible name: the field, and the kind of its section. */
function nameOf({ place, document }: OpenFieldProps): string {
  const name = place.field.split('.').findLast((step) => !/^\d+$/.test(step)) ?? place.field;
  const section = document.sections.find(({ id }) => id === place.sectionId);
  if (section === undefined) return pageFieldLabels(name).label;
  return t('label', { field: fieldLabels(section.type, name).label, kind: kindName(section.type) });
}

function OpenField(props: OpenFieldProps) {
  const { page, layer, place, at, editor, document, field, onStuck, onLeave, onGo } = props;
  const value = valueAt(document, place) ?? undefined;
  const typed = useTypedValue(field, value, (next) => editor.setValue(place, next));
  const text = typeof typed.shown === 'string' ? typed.shown : '';
  const isStuck = typed.problem !== null;
  const [isWarned, setIsWarned] = useState(false);
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const noteId = useId();
  useTextOverlay(props, box, text);

  useEffect(() => {
    editor.setFocusedField(place);
    return () => editor.setFocusedField(null);
  }, [editor, place]);

  const leave = (how: 'key' | 'pointer') => {
    if (isStuck && !(how === 'key' && isWarned)) {
      typed.touch();
      setIsWarned(true);
      return;
    }
    onLeave(how);
  };
  const change = (next: string) => {
    typed.change(next);
    setIsWarned(false);
    onStuck(field.check(next).value === undefined);
  };
  /** Scrolling over the editor scrolls the page. */
  const scroll = (x: number, y: number) => {
    const scale = scaleOf(layer.current);
    page.scrollBy({ left: x / scale, top: y / scale, behavior: 'instant' });
  };
  const touched = useRef<{ readonly x: number; readonly y: number } | null>(null);
  const pointOf = ({ touches }: TouchEvent) => {
    const [touch] = Array.from(touches);
    return touch && touches.length === 1 ? { x: touch.clientX, y: touch.clientY } : null;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const target = event.target as Element;
    if (!event.currentTarget.contains(target) || isComposing(event)) return;
    if (target.closest('[role=toolbar]') !== null) {
      // The page tools around the editor use these keys for sections.
      if (event.key === 'Escape' || event.altKey) event.stopPropagation();
      if (event.key === 'Escape') event.currentTarget.querySelector<HTMLElement>('.rich-text')?.focus();
    } else if (event.key === 'Tab' && !event.defaultPrevented && !(event.shiftKey && field.kind === 'markdown')) {
      // Shift+Tab in rich text leads to its toolbar.
      const next = neighbourText(page.document, place, event.shiftKey ? -1 : 1);
      if (next !== null && onGo(next)) event.preventDefault();
    }
  };
  const common = { label: nameOf(props), 'aria-describedby': noteId, isInvalid: isStuck };

  return (
    <div
      ref={setBox}
      role="presentation"
      id={`${noteId}-text`}
      data-writing={place.field}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Another window became active: the text is still being edited.
        if (currentTarget.contains(relatedTarget) || !currentTarget.ownerDocument.hasFocus()) return;
        // An open list or dialog of the toolbar, which is rendered elsewhere.
        if (relatedTarget?.closest('[data-radix-popper-content-wrapper], [role="dialog"]')) return;
        leave('pointer');
      }}
      onKeyDown={onKeyDown}
      onWheel={({ currentTarget, target, deltaX, deltaY }) => {
        // Not in a dialog of the toolbar.
        if (currentTarget.contains(target as Node)) scroll(deltaX, deltaY);
      }}
      onTouchStart={(event) => {
        touched.current = pointOf(event);
      }}
      onTouchMove={(event) => {
        const [before, now] = [touched.current, pointOf(event)];
        touched.current = now;
        if (before && now) scroll(before.x - now.x, before.y - now.y);
      }}
      className="pointer-events-auto absolute top-0 left-0 z-10 rounded-xs outline-2 outline-offset-4 outline-accent/60"
    >
      {field.kind === 'markdown' ? (
        <RichTextEditor
          {...common}
          value={text}
          onChange={change}
          onLeave={() => leave('key')}
          look="bare"
          startAt={at ?? 'end'}
          toolbarClassName="absolute left-0 top-(--tools-top) z-10 w-max origin-bottom-left scale-(--unscale) rounded-lg border border-rule bg-sheet p-1 shadow-sheet"
        />
      ) : (
        <PlainText
          {...common}
          text={text}
          start={textElement(page.document, place)}
          layer={layer}
          at={at}
          isLine={field.kind === 'line'}
          onChange={change}
          onLeave={() => leave('key')}
        />
      )}
      <TextStatus
        {...props}
        id={noteId}
        rest={remainingCharacters(text, field.max)}
        problem={
          typed.problem === null
            ? null
            : isWarned
              ? t('giveUp', { problem: sentence(typed.problem) })
              : sentence(typed.problem)
        }
      />
    </div>
  );
}

interface TextStatusProps {
  readonly state: PageEditorState;
  readonly id: string;
  /** Characters left, if the limit is near. */
  readonly rest: number | null;
  readonly problem: string | null;
}

/** Shows below the text the save state, the remaining characters, and problems. */
function TextStatus({ id, state, rest, problem }: TextStatusProps) {
  const [openedAt] = useState(Date.now);
  const isSaved = state.savedAt !== null && state.savedAt >= openedAt;
  const status = {
    saved: isSaved ? t('saved') : t('hint'),
    waiting: t('waiting'),
    saving: t('saving'),
    conflict: t('conflict'),
    failed: state.problem === null ? t('notNow') : t('failed', { reason: sentence(state.problem) }),
  }[state.save];
  const isWrong = problem !== null || state.save === 'failed' || state.save === 'conflict';
  return (
    <div className="pointer-events-none absolute top-full left-0 z-10 mt-[calc(var(--unscale)*0.625rem)] flex w-max max-w-[calc(22rem*var(--unscale))] origin-top-left scale-(--unscale) items-baseline gap-2 rounded-md border border-rule bg-sheet px-2 py-1 font-sans text-xs text-ink-2 shadow-sheet">
      <output id={id} className={clsx(isWrong && 'text-red')}>
        {problem ?? status}
      </output>
      {rest !== null && (
        <span className={clsx('tabular-nums', rest < 0 ? 'text-red' : 'text-ink-3')}>
          {rest < 0 ? t('over', { over: -rest }) : t('left', { left: rest })}
        </span>
      )}
    </div>
  );
}

interface PlainTextProps {
  readonly text: string;
  readonly label: string;
  readonly 'aria-describedby': string;
  readonly isInvalid: boolean;
  readonly isLine: boolean;
  /** Element of the page that shows the text. */
  readonly start: HTMLElement | null;
  readonly layer: RefObject<HTMLElement | null>;
  readonly at: { readonly x: number; readonly y: number } | undefined;
  readonly onChange: (text: string) => void;
  readonly onLeave: () => void;
}

/** Text without markup: one line, which Enter ends, or several. */
function PlainText({
  text,
  label,
  isInvalid,
  isLine,
  start,
  layer,
  at,
  onChange,
  onLeave,
  ...described
}: PlainTextProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const undoRedo = useUndoRedo();
  const open = useEffectEvent((element: HTMLTextAreaElement) => {
    element.focus({ preventScroll: true });
    const offset = (at && start && offsetAt(start, layer.current, at)) ?? element.value.length;
    element.setSelectionRange(offset, offset);
  });
  useLayoutEffect(() => {
    if (field.current) open(field.current);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    undoBeyondText(event, undoRedo);
    const isEnd = event.key === 'Escape' || (event.key === 'Enter' && (isLine || event.ctrlKey || event.metaKey));
    if (!isEnd) return;
    event.preventDefault();
    event.stopPropagation();
    onLeave();
  };
  return (
    <textarea
      ref={field}
      value={text}
      rows={1}
      aria-label={label}
      placeholder={start?.dataset['empty']}
      aria-invalid={isInvalid || undefined}
      {...described}
      onChange={({ target }) => onChange(isLine ? target.value.replace(/\s*[\r\n]+\s*/g, ' ') : target.value)}
      onKeyDown={onKeyDown}
      className="block w-full resize-none overflow-hidden bg-transparent outline-none"
    />
  );
}

/** Text offset in an element at a point of the screen. */
function offsetAt(element: HTMLElement, layer: HTMLElement | null, point: { x: number; y: number }): number | null {
  if (layer === null) return null;
  const { left, top } = layer.getBoundingClientRect();
  const scale = scaleOf(layer);
  const [x, y] = [(point.x - left) / scale, (point.y - top) / scale];
  const page = element.ownerDocument;
  if (!('caretPositionFromPoint' in page)) return null;
  const caret = page.caretPositionFromPoint(x, y);
  return caret !== null && element.contains(caret.offsetNode) ? caret.offset : null;
}
