import { TextToolbar } from '#components/editor/rich-text/toolbar';
import clsx from 'clsx';
import { useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { RichText } from '#components/editor/rich-text/rich-text';
import '#components/editor/rich-text/rich-text.css';

export interface RichTextEditorProps {
  readonly value: string;
  readonly onChange: (markdown: string) => void;
  /** Accessible name of the text. */
  readonly label: string;
  /** Ids of what is said about the text: help, how much room is left, why it was refused. */
  readonly 'aria-describedby'?: string | undefined;
  readonly isInvalid?: boolean;
  readonly onFocus?: () => void;
  /** The focus has left the text and its tools. */
  readonly onBlur?: () => void;
  /** Escape in the text. */
  readonly onLeave?: () => void;
  /** The text has the focus from the start, with the cursor at a point of the screen or behind the last word. */
  readonly startAt?: { readonly x: number; readonly y: number } | 'end' | undefined;
  /** `bare`: as part of a page, in its look; the tools are above it. Default `box`. */
  readonly look?: 'box' | 'bare';
  readonly toolbarClassName?: string;
}

/** A Markdown text that is written as it looks. */
export function RichTextEditor(props: RichTextEditorProps) {
  const { value, label, isInvalid = false, look = 'box', startAt } = props;
  const [text, setText] = useState<RichText | null>(null);
  const [isLinkOpen, setIsLinkOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  const change = useEffectEvent((markdown: string) => props.onChange(markdown));
  const leave = useEffectEvent(() => props.onLeave?.());
  const hasLeave = props.onLeave !== undefined;

  const open = useEffectEvent((element: HTMLElement) => {
    const created = new RichText(element, {
      markdown: value,
      label,
      onChange: (markdown) => change(markdown),
      onLink: () => setIsLinkOpen(true),
      onLeave: hasLeave ? () => leave() : undefined,
    });
    if (startAt !== undefined) created.focus(startAt === 'end' ? undefined : startAt);
    return created;
  });

  useLayoutEffect(() => {
    if (place.current === null) return undefined;
    const created = open(place.current);
    setText(created);
    return () => created.destroy();
  }, []);

  // At once: a later effect could bring back what was there before the newest letter.
  useLayoutEffect(() => text?.show(value), [text, value]);

  const describedBy = props['aria-describedby'];
  useLayoutEffect(() => {
    text?.describe(describedBy, isInvalid);
  }, [text, describedBy, isInvalid]);

  return (
    <div
      onFocus={() => props.onFocus?.()}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget) && !isLinkOpen) props.onBlur?.();
      }}
      className={clsx(
        look === 'box' && 'rich-text-box rounded-md border bg-sheet focus-within:ring-2 focus-within:ring-accent',
        look === 'box' && (isInvalid ? 'border-red' : 'border-rule-strong'),
      )}
    >
      {text !== null && (
        <TextToolbar
          text={text}
          controls={id}
          isLinkOpen={isLinkOpen}
          onLinkOpen={setIsLinkOpen}
          className={clsx(look === 'box' && 'border-b border-rule p-1', props.toolbarClassName)}
        />
      )}
      <div ref={place} id={id} />
    </div>
  );
}
