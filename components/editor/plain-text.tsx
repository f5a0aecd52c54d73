import { type KeyboardEvent, type RefObject, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { scaleOf } from '#components/editor/page-frames';
import { undoBeyondText } from '#components/editor/typed-value';
import { isComposing } from '#components/ui/hooks';

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

/** Words without any markup: one line, which Enter ends, or several. */
export function PlainText({
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
    undoBeyondText(event);
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

/** Place in the words of an element that is at a point of the screen. */
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
