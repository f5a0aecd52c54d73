'use client';

import { type KeyboardEvent, type PointerEvent, useCallback, useState } from 'react';
import { previewStrings } from '#components/chat/preview/words';
import { clampPreviewWidth, LAYOUT_COOKIE } from '#components/desk/layout-preferences';
import type { LayoutPreferences } from '#components/desk/parse-layout';

const ONE_YEAR_SECONDS = 31_536_000;

export interface Layout extends LayoutPreferences {
  /** Changes the arrangement and remembers it. */
  readonly save: (change: Partial<LayoutPreferences>) => void;
  /** Changes it for the moment, as while dragging. */
  readonly adjust: (change: Partial<LayoutPreferences>) => void;
}

/** The layout of the desk, starting with the cookie's value. */
export function useLayout(initial: LayoutPreferences): Layout {
  const [layout, setLayout] = useState(initial);
  const adjust = useCallback((change: Partial<LayoutPreferences>) => setLayout((old) => ({ ...old, ...change })), []);
  const save = useCallback(
    (change: Partial<LayoutPreferences>) => {
      document.cookie = layoutCookie({ ...layout, ...change });
      adjust(change);
    },
    [adjust, layout],
  );
  return { ...layout, adjust, save };
}

/** The cookie that stores an arrangement, for `document.cookie`. */
export function layoutCookie(layout: LayoutPreferences): string {
  const value = encodeURIComponent(JSON.stringify(layout));
  return `${LAYOUT_COOKIE}=${value}; path=/; max-age=${String(ONE_YEAR_SECONDS)}; samesite=lax`;
}

/** Step of an arrow key; percent. */
const STEP = 2;

interface ResizeHandleProps {
  /** Width of the preview, percent of the two panes. */
  readonly width: number;
  readonly onResize: (width: number) => void;
  /** The pointer let go or a key was pressed: worth remembering. */
  readonly onResized: (width: number) => void;
}

/** The edge between conversation and preview: drag it, or move it with the arrow keys. */
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

  // A focusable separator that answers to keys is ARIA's window splitter; the two rules do not know it.
  /* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions */
  return (
    <hr
      aria-orientation="vertical"
      aria-label={previewStrings.resize}
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
