import { TextToolbar, type TextTool } from '#components/editor/rich-text/toolbar';
import clsx from 'clsx';
import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { useUndoRedo } from '#components/editor/actions/undo-redo-provider';
import { RichText } from '#components/editor/rich-text/rich-text.ts';
import '#components/editor/rich-text/rich-text.css';

/** Props of the editor of a Markdown text. */
export interface RichTextEditorProps {
  /** Markdown. */
  readonly value: string;
  readonly onChange: (markdown: string) => void;
  /** Accessible name of the text. */
  readonly label: string;
  /** Ids of texts about the field: help, remaining characters, problem. */
  readonly 'aria-describedby'?: string | undefined;
  readonly isInvalid?: boolean;
  readonly onFocus?: () => void;
  /** Called when the focus has left the text and its toolbar. */
  readonly onBlur?: () => void;
  /** Called on Escape in the text. */
  readonly onLeave?: () => void;
  /** Focuses the text on mount, with the cursor at a point of the screen or at the end. */
  readonly startAt?: { readonly x: number; readonly y: number } | 'end' | undefined;
  /** `bare`: as part of a page, in its styles, with the toolbar above it. Default `box`. */
  readonly look?: 'box' | 'bare';
  readonly toolbarClassName?: string;
}

/** WYSIWYG editor of a Markdown text. */
export function RichTextEditor(props: RichTextEditorProps) {
  const { value, label, isInvalid = false, look = 'box', startAt } = props;
  const [text, setText] = useState<RichText | null>(null);
  const [opened, setOpened] = useState<TextTool | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  const change = useEffectEvent((markdown: string) => props.onChange(markdown));
  const leave = useEffectEvent(() => props.onLeave?.());
  const hasLeave = props.onLeave !== undefined;
  const undoRedo = useUndoRedo();
  const undoBeyond = useEffectEvent((step: 'undo' | 'redo') => undoRedo?.[step]());

  const open = useEffectEvent((element: HTMLElement) => {
    return new RichText(element, {
      markdown: value,
      label,
      onChange: (markdown) => change(markdown),
      onLink: () => setOpened('link'),
      onToolbar: () => box.current?.querySelector<HTMLElement>('[role=toolbar] button:enabled')?.focus(),
      onLeave: hasLeave ? () => leave() : undefined,
      onUndoBeyond: undoRedo ? (step) => undoBeyond(step) : undefined,
    });
  });
  const start = useEffectEvent((created: RichText) => {
    if (startAt !== undefined) created.focus(startAt === 'end' ? undefined : startAt);
  });

  useLayoutEffect(() => {
    if (place.current === null) return undefined;
    const created = open(place.current);
    setText(created);
    return () => created.destroy();
  }, []);

  // Not a layout effect: what surrounds the editor places it in one, and a point of the screen counts there.
  useEffect(() => {
    if (text !== null) start(text);
  }, [text]);

  // Layout effect: an ordinary effect could run after the next keystroke and put the older value back.
  useLayoutEffect(() => text?.show(value), [text, value]);

  const describedBy = props['aria-describedby'];
  useLayoutEffect(() => {
    text?.describe(describedBy, isInvalid);
  }, [text, describedBy, isInvalid]);

  return (
    <div
      ref={box}
      onFocus={() => props.onFocus?.()}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget) && opened === null) props.onBlur?.();
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
          opened={opened}
          onOpen={setOpened}
          className={clsx(look === 'box' && 'border-b border-rule p-1', props.toolbarClassName)}
        />
      )}
      <div ref={place} id={id} />
    </div>
  );
}
