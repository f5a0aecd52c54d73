'use client';

import clsx from 'clsx';
import {
  type AriaAttributes,
  cloneElement,
  type DOMAttributes,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  useEffect,
  useId,
  useState,
} from 'react';
import { TipLayer } from '#components/ui/layers';

/** Hover time before a tooltip appears, unless another one was shown just before; ms. */
const HOVER_DELAY = 400;
/** Time after a tooltip closed in which the next one appears immediately; ms. */
const FOLLOW_UP_WINDOW = 300;
/** Time for the pointer to move from a control to its tooltip; ms. */
const LEAVE_DELAY = 100;

/** Closes the open tooltip; null if none is open. At most one is. */
let closeOpenTip: (() => void) | null = null;
/** Time at which a tooltip was last closed; epoch milliseconds. */
let closedAt = -Infinity;

/**
 * Event handlers that decide when the tooltip of a control appears and disappears.
 * @param show called with the control to show its tooltip; null to hide the tooltip
 */
function tipTiming(show: (control: Element | null) => void) {
  let timer = 0;
  let isOver = false;
  let isPressed = false;
  const close = () => {
    clearTimeout(timer);
    timer = 0;
    if (closeOpenTip !== close) return;
    closeOpenTip = null;
    closedAt = Date.now();
    show(null);
  };
  const showAfter = (delay: number, control: Element) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (closeOpenTip === close) return;
      closeOpenTip?.();
      closeOpenTip = close;
      show(control);
    }, delay);
  };
  return {
    close,
    stay: () => clearTimeout(timer),
    leave: () => {
      isOver = false;
      if (closeOpenTip !== close) return close();
      clearTimeout(timer);
      timer = window.setTimeout(close, LEAVE_DELAY);
    },
    move: ({ pointerType, currentTarget }: PointerEvent) => {
      if (pointerType === 'touch' || isOver) return;
      isOver = true;
      showAfter(closeOpenTip !== null || Date.now() - closedAt < FOLLOW_UP_WINDOW ? 0 : HOVER_DELAY, currentTarget);
    },
    press: () => {
      close();
      isPressed = true;
      window.addEventListener('pointerup', () => (isPressed = false), { once: true });
    },
    focus: ({ currentTarget }: FocusEvent) => {
      // Not for a control that gets the focus because the pointer opened its dialog.
      if (!isPressed && currentTarget.matches(':focus-visible')) showAfter(0, currentTarget);
    },
  };
}

interface TipProps {
  readonly text: string;
  readonly children: ReactElement<DOMAttributes<Element> & AriaAttributes>;
}

/** A tooltip next to a control, on hover and focus. */
export function Tip({ text, children }: TipProps) {
  const [control, setControl] = useState<Element | null>(null);
  const [times] = useState(() => tipTiming(setControl));
  useEffect(() => times.close, [times]);
  const id = useId();
  const { props } = children;
  return (
    <>
      {cloneElement(children, {
        'aria-describedby': control === null ? props['aria-describedby'] : clsx(props['aria-describedby'], id),
        onPointerMove: both(props.onPointerMove, times.move),
        onPointerLeave: both(props.onPointerLeave, times.leave),
        onPointerDown: both(props.onPointerDown, times.press),
        onFocus: both(props.onFocus, times.focus),
        onBlur: both(props.onBlur, times.close),
        onClick: both(props.onClick, times.close),
      })}
      {control && (
        <TipLayer
          id={id}
          text={text}
          anchor={control}
          onPointerEnter={times.stay}
          onPointerLeave={times.leave}
          onClose={times.close}
        />
      )}
    </>
  );
}

/** Calls two handlers of the same event, that of the control first. */
const both =
  <Event,>(theirs: ((event: Event) => void) | undefined, ours: (event: Event) => void) =>
  (event: Event) => {
    theirs?.(event);
    ours(event);
  };
