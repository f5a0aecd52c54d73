interface DragHandlers {
  readonly onMove: (event: PointerEvent) => void;
  /** The pointer was released; called after `onEnd`. */
  readonly onDrop: () => void;
  /** The drag is over, also if Escape or the browser ended it. */
  readonly onEnd: () => void;
}

/**
 * Follows a pressed pointer, wherever it moves, until it is released or Escape is pressed.
 * @returns a signal that aborts when the drag is over
 */
export function followDrag({ onMove, onDrop, onEnd }: DragHandlers): AbortSignal {
  const listening = new AbortController();
  const { signal } = listening;
  const end = () => {
    listening.abort();
    onEnd();
  };
  window.addEventListener('pointermove', onMove, { signal });
  window.addEventListener('pointercancel', end, { signal });
  window.addEventListener(
    'pointerup',
    () => {
      end();
      onDrop();
    },
    { signal },
  );
  window.addEventListener(
    'keydown',
    (key) => {
      if (key.key !== 'Escape') return;
      key.stopPropagation();
      end();
    },
    { signal, capture: true },
  );
  return signal;
}
