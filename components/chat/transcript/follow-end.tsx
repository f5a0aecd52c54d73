import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { toast } from '#components/toast';
import type { ChatSession } from '#components/chat/session/chat-session';
import type { ChatSessionState } from '#components/chat/session/chat-session-state';
import { useDeskRequest } from '#components/desk/desk-requests';
import { reportFailure } from '#components/ui/toasts';
import { transcriptStrings } from '#components/chat/session/words';

/** Distance from the end at which a reader counts as being there; pixels. */
const NEAR = 48;
/** A scroll this soon after a wheel, touch or key is the reader's; ms. */
const INTENT = 400;
/** Period after an unfolding in which new content is read from its start; ms. */
const UNFOLDING = 3_000;

interface FollowedEnd {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** The reader is somewhere above the end. */
  readonly isAway: boolean;
  /** Goes to the end and stays there until the reader scrolls up. */
  readonly followEnd: () => void;
  /** Stays where the page is scrolled to, as after the reader has scrolled up. */
  readonly leaveEnd: () => void;
}

/**
 * Keeps a scrolling element at its end, whatever grows or shrinks: the content, or the element itself because something
 * below it takes room. Only the reader ends that, by scrolling up or unfolding something, and begins it again by scrolling
 * down to the end.
 */
export function useFollowedEnd(): FollowedEnd {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const [isAway, setIsAway] = useState(false);

  const pin = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    if (isFollowing.current) element.scrollTop = element.scrollHeight;
    setIsAway(!isFollowing.current && distanceOf(element) > NEAR);
  }, []);
  const followEnd = useCallback(() => {
    isFollowing.current = true;
    pin();
  }, [pin]);

  const leaveEnd = useCallback(() => {
    isFollowing.current = false;
  }, []);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return undefined;
    let last = placeOf(element);
    let meant = -Infinity;
    let isHeld = false;
    let unfolded = -Infinity;
    const settle = () => {
      const isUnfolding = performance.now() - unfolded < UNFOLDING;
      if (isUnfolding && distanceOf(element) > NEAR) isFollowing.current = false;
      if (!isUnfolding || !isFollowing.current) pin();
      last = placeOf(element);
    };
    const onClick = ({ target }: Event) => {
      if (target instanceof Element && target.closest('[aria-expanded="false"]')) unfolded = performance.now();
    };
    const mean = () => (meant = performance.now());
    const hold = () => (isHeld = true);
    const release = () => {
      isHeld = false;
      mean();
    };
    const onScroll = () => {
      const now = placeOf(element);
      // Where less is left to scroll than was scrolled, the browser has gone to the new end: an answer made way for another.
      const isUp = now.top < last.top - 1 && last.top <= now.all - now.seen + 1;
      // Where heights have changed, the browser has moved what is on screen; the reader only if they did something.
      const isReaders =
        isHeld || performance.now() - meant < INTENT || (now.all === last.all && now.seen === last.seen);
      last = now;
      if (isUp && isReaders) isFollowing.current = false;
      else if (distanceOf(element) <= NEAR) isFollowing.current = true;
      setIsAway(!isFollowing.current && distanceOf(element) > NEAR);
    };
    settle();
    const observer = new ResizeObserver(settle);
    observer.observe(element);
    observer.observe(content.current);
    const over = new AbortController();
    const options = { passive: true, signal: over.signal } as const;
    element.addEventListener('scroll', onScroll, options);
    element.addEventListener('click', onClick, { ...options, capture: true });
    for (const name of ['wheel', 'touchmove', 'keydown'] as const) element.addEventListener(name, mean, options);
    // The scrollbar: held for as long as it is dragged.
    element.addEventListener('pointerdown', hold, options);
    window.addEventListener('pointerup', release, options);
    window.addEventListener('pointercancel', release, options);
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

/** Time that a message stays marked after it was brought into view; ms. */
const MARKED_FOR = 2_500;

/** Brings a message into view when somebody asks for it, however old it is, and marks it for a moment. */
export function useWantedMessage(
  session: ChatSession,
  wanted: ChatSessionState['wanted'],
  content: RefObject<HTMLElement | null>,
  leaveEnd: () => void,
): void {
  useDeskRequest('show-message', ({ sessionId, ...place }) => {
    if (sessionId !== session.id) return false;
    void reach(session, place);
    return true;
  });
  useEffect(() => {
    if (wanted === null) return undefined;
    const look = () => {
      const row = content.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.row)}"]`);
      if (!row) return;
      drawn.disconnect();
      leaveEnd();
      row.scrollIntoView({ block: 'center' });
      row.tabIndex = -1;
      row.focus({ preventScroll: true });
      row.dataset['wanted'] = '';
      setTimeout(() => delete row.dataset['wanted'], MARKED_FOR);
      session.endReach(wanted);
    };
    // Messages are drawn a few at a time.
    const drawn = new MutationObserver(look);
    if (content.current) drawn.observe(content.current, { childList: true, subtree: true });
    look();
    return () => drawn.disconnect();
  }, [session, wanted, content, leaveEnd]);
}

async function reach(session: ChatSession, place: Parameters<ChatSession['reach']>[0]): Promise<void> {
  try {
    if (!(await session.reach(place))) toast(transcriptStrings.messageGone);
  } catch (error) {
    reportFailure(error);
  }
}
