import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';

/** Distance from the end within which the reader counts as being at the end; pixels. A choice, not measured. */
const NEAR_END_PX = 48;
/** A scroll event this soon after a wheel, touch or key event counts as the reader's; ms. A choice, not measured. */
const INPUT_MS = 400;
/** Time after unfolding during which new content does not scroll to the end; ms. A choice, not measured. */
const UNFOLDING_MS = 3_000;

export interface FollowedEnd {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** The reader has scrolled up. */
  readonly isAway: boolean;
  /** Scrolls to the end and stays there until the reader scrolls up. */
  readonly followEnd: () => void;
  /** Stops following, as if the reader had scrolled up. */
  readonly leaveEnd: () => void;
}

/**
 * Keeps a scrolling element at its end when the content or the element itself changes its size. Only the reader stops
 * this, by scrolling up or unfolding something, and starts it again by scrolling down to the end.
 */
export function useFollowedEnd(): FollowedEnd {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  /** Time at which something was last unfolded; ms. */
  const unfoldedAt = useRef(-Infinity);
  const [isAway, setIsAway] = useState(false);

  const pin = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    if (isFollowing.current) element.scrollTop = element.scrollHeight;
    setIsAway(!isFollowing.current && distanceOf(element) > NEAR_END_PX);
  }, []);
  const followEnd = useCallback(() => {
    isFollowing.current = true;
    unfoldedAt.current = -Infinity;
    pin();
  }, [pin]);

  const leaveEnd = useCallback(() => {
    isFollowing.current = false;
  }, []);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return undefined;
    let previous = placeOf(element);
    let lastInputAt = -Infinity;
    let isHeld = false;
    const settle = () => {
      const isUnfolding = performance.now() - unfoldedAt.current < UNFOLDING_MS;
      if (isUnfolding && distanceOf(element) > NEAR_END_PX) isFollowing.current = false;
      if (!isUnfolding || !isFollowing.current) pin();
      previous = placeOf(element);
    };
    const onClick = ({ target }: Event) => {
      if (target instanceof Element && target.closest('[aria-expanded="false"]'))
        unfoldedAt.current = performance.now();
    };
    const noteInput = () => (lastInputAt = performance.now());
    const startHold = () => (isHeld = true);
    const endHold = () => {
      isHeld = false;
      noteInput();
    };
    const onScroll = () => {
      const present = placeOf(element);
      // If the present scroll range is smaller than the former position, the browser moved to the new end, because an
      // answer was replaced.
      const isUp = present.top < previous.top - 1 && previous.top <= present.all - present.seen + 1;
      // If heights have changed, the browser may have scrolled; it was the reader only after an input event.
      const isReaders =
        isHeld ||
        performance.now() - lastInputAt < INPUT_MS ||
        (present.all === previous.all && present.seen === previous.seen);
      previous = present;
      if (isUp && isReaders) isFollowing.current = false;
      else if (distanceOf(element) <= NEAR_END_PX) isFollowing.current = true;
      setIsAway(!isFollowing.current && distanceOf(element) > NEAR_END_PX);
    };
    settle();
    const observer = new ResizeObserver(settle);
    observer.observe(element);
    observer.observe(content.current);
    const over = new AbortController();
    const options = { passive: true, signal: over.signal } as const;
    element.addEventListener('scroll', onScroll, options);
    element.addEventListener('click', onClick, { ...options, capture: true });
    for (const name of ['wheel', 'touchmove', 'keydown'] as const) element.addEventListener(name, noteInput, options);
    // Covers dragging the scrollbar: the flag is set until the pointer is released.
    element.addEventListener('pointerdown', startHold, options);
    window.addEventListener('pointerup', endHold, options);
    window.addEventListener('pointercancel', endHold, options);
    return () => {
      observer.disconnect();
      over.abort();
    };
  }, [pin]);

  return { scroller, content, isAway, followEnd, leaveEnd };
}

function placeOf({ scrollTop, scrollHeight, clientHeight }: HTMLElement) {
  return { top: scrollTop, all: scrollHeight, seen: clientHeight };
}

function distanceOf({ scrollTop, scrollHeight, clientHeight }: HTMLElement): number {
  return scrollHeight - clientHeight - scrollTop;
}
