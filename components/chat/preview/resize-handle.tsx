import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { clampPreviewWidth } from '#components/workspace/layout-preferences.ts';

const t = translator('preview');

/** Step of an arrow key; percent. A choice, not measured. */
const STEP = 2;

interface ResizeHandleProps {
  /** Width of the preview, percent of the two panes. */
  readonly width: number;
  readonly onResize: (width: number) => void;
  /** Called when the pointer was released or a key was pressed: the width should be stored. */
  readonly onResized: (width: number) => void;
}

/** The separator between conversation and preview, moved by dragging or with the arrow keys. */
export function ResizeHandle({ width, onResize, onResized }: ResizeHandleProps) {
  const [isDragging, setIsDragging] = useState(false);

  const widthAt = (event: PointerEvent<HTMLElement>) => {
    const panes = event.currentTarget.parentElement?.getBoundingClientRect();
    return panes ? clampPreviewWidth(((panes.right - event.clientX) / panes.width) * 100) : width;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onResized(clampPreviewWidth(width + step));
  };

  // A focusable separator that handles keys is ARIA's window splitter, which the two rules do not know.
  /* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions */
  return (
    <hr
      aria-orientation="vertical"
      aria-label={t('resize')}
      aria-valuenow={width}
      aria-valuemin={25}
      aria-valuemax={75}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setIsDragging(true);
      }}
      onPointerMove={(event) => {
        if (isDragging) onResize(widthAt(event));
      }}
      onPointerUp={(event) => {
        setIsDragging(false);
        onResized(widthAt(event));
      }}
      className="relative z-10 hidden h-auto w-2 shrink-0 cursor-col-resize touch-none border-0 before:absolute before:inset-y-0 before:left-1/2 before:w-0.5 before:-translate-x-1/2 before:rounded-full before:transition-colors hover:before:bg-accent focus-visible:before:bg-accent min-[900px]:block"
    />
  );
}
