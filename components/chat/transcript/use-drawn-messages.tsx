import { type RefObject, startTransition, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ChatMessage } from '#components/api/chat-message';

/** Messages drawn at first, more than a screen, and then in each step: so few that a key or a turn of the wheel can wait. */
const FIRST = 8;
const STEP = 2;
/** Messages in one step while somebody waits for an older one. */
const LEAP = 48;
/** Pause between two steps; ms. */
const PAUSE = 8;
/** Time for which keys, frames and pieces of an answer may put off one step; ms. */
const LONGEST = 500;
/** Messages that are one piece of work for the browser, when they come into view: each piece is looked at in every frame. */
const GROUP = 6;

/** Messages that follow each other. It grows at its start until the next one is begun; the last one at its end. */
export interface DrawnGroup {
  readonly key: number;
  readonly messages: readonly ChatMessage[];
}

interface GroupStart {
  readonly key: number;
  readonly firstId: string | undefined;
}

interface DrawnMessages {
  /** The newest last; its key is 0. */
  readonly groups: readonly DrawnGroup[];
  /** All messages that are loaded are drawn. */
  readonly isComplete: boolean;
}

/**
 * Draws the messages that are loaded from the newest back, a few at a time, and what is on screen stays where it is. So
 * opening a conversation takes no longer the more of it is loaded. A group is an element with `data-group`, a message
 * one with `data-row`.
 * @param wantedId message that somebody waits to see: it is drawn as soon as it is loaded
 */
export function useDrawnMessages(
  messages: readonly ChatMessage[],
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  wantedId: string | null = null,
): DrawnMessages {
  const [starts, setStarts] = useState<readonly [GroupStart, ...GroupStart[]]>(() => [
    { key: 0, firstId: messages.at(-FIRST)?.id ?? messages[0]?.id },
  ]);
  const [top, ...others] = starts;
  const index = messages.findIndex(({ id }) => id === top.firstId);
  const first = Math.max(0, index);
  // There were no messages yet, or the first drawn message was sent from here and has its stored id now.
  if (index === -1 && messages[0] && messages[0].id !== top.firstId)
    setStarts([{ ...top, firstId: messages[0].id }, ...others]);

  const groups = groupsOf(messages.slice(first), starts);
  const isFull = top.key === 0 || (groups[0]?.messages.length ?? 0) >= GROUP;
  const wanted = wantedId === null ? -1 : messages.findIndex(({ id }) => id === wantedId);
  const isWaited = wanted !== -1 && wanted < first;
  const nextId = first === 0 ? undefined : messages[Math.max(0, first - (isWaited ? LEAP : STEP))]?.id;

  useEffect(() => {
    if (nextId === undefined) return undefined;
    const next: typeof starts = isFull
      ? [{ key: starts[0].key + 1, firstId: nextId }, ...starts]
      : [{ ...starts[0], firstId: nextId }, ...starts.slice(1)];
    const over = new AbortController();
    const draw = () => {
      if (!scroller.current || !content.current) return;
      drawBefore(scroller.current, content.current, () => flushSync(() => setStarts(next)));
    };
    let timer = setTimeout(
      () => {
        const element = scroller.current;
        if (isFull && starts[0].key > 0) settle(content.current?.querySelector(`[data-group="${starts[0].key}"]`));
        if (!element || isWaited || !holdsOn(element)) return draw();
        // Keys and frames come first, but not for long, and nothing is drawn behind the back of who goes to the top.
        startTransition(() => setStarts(next));
        timer = setTimeout(draw, LONGEST);
        element.addEventListener('scroll', () => holdsOn(element) || draw(), { passive: true, signal: over.signal });
      },
      isWaited ? 0 : PAUSE,
    );
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [nextId, isFull, isWaited, starts, scroller, content]);

  return { groups, isComplete: first === 0 };
}

function groupsOf(drawn: readonly ChatMessage[], starts: readonly GroupStart[]): DrawnGroup[] {
  const keys = new Map(starts.map(({ key, firstId }) => [firstId, key]));
  const groups: { key: number; messages: ChatMessage[] }[] = [];
  for (const message of drawn) {
    const key = keys.get(message.id);
    const group = groups.at(-1);
    if (key === undefined && group) group.messages.push(message);
    else groups.push({ key: key ?? starts[0]?.key ?? 0, messages: [message] });
  }
  return groups;
}

/** True where the browser itself keeps what is on screen in its place: some do, but not at the very top. */
function holdsOn(scroller: HTMLElement): boolean {
  return scroller.scrollTop > 0 && CSS.supports('overflow-anchor', 'auto');
}

/** Draws more without moving what is on screen. */
function drawBefore(scroller: HTMLElement, content: HTMLElement, draw: () => void): void {
  if (holdsOn(scroller)) return draw();
  const anchor = content.querySelector('[data-row]');
  const before = anchor?.getBoundingClientRect().top ?? 0;
  draw();
  scroller.scrollTop += (anchor?.getBoundingClientRect().top ?? 0) - before;
}

/**
 * Once it has its height, the inside of a group is no work for the browser while it is off screen. Nothing jumps when it
 * comes into view, and its words are found and read out as before.
 */
function settle(group: Element | null | undefined): void {
  const observer = new ResizeObserver((entries) => {
    observer.disconnect();
    for (const { target, contentBoxSize } of entries) {
      const { style } = target as HTMLElement;
      style.containIntrinsicBlockSize = `auto ${contentBoxSize[0]?.blockSize ?? 0}px`;
      style.contentVisibility = 'auto';
    }
  });
  if (group) observer.observe(group);
}
