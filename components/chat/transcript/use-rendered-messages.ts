import { type RefObject, startTransition, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ChatMessage } from '#components/api/chat-message.ts';

/**
 * Number of messages drawn at first, more than a screen, and then in each step: few enough for a key or wheel event to
 * wait.
 */
const FIRST_MESSAGES = 8;
const MESSAGES_PER_STEP = 2;
/** Messages per step while the user waits for an older one. */
const MESSAGES_PER_LEAP = 48;
/** Pause between two steps. */
const PAUSE_MS = 8;
/** Longest time for which input, frames and parts of an answer may delay one step. */
const LONGEST_DELAY_MS = 500;
/**
 * Messages per group, which the browser renders as one unit when it comes into view; the browser checks each group in
 * every frame.
 */
const GROUP_SIZE = 6;

/** Consecutive messages. A group grows at its start until the next one is created; the last group grows at its end. */
export interface RenderedGroup {
  readonly key: number;
  readonly messages: readonly ChatMessage[];
}

interface GroupStart {
  readonly key: number;
  readonly firstId: string | undefined;
}

interface DrawnMessages {
  /** Newest last; its key is 0. */
  readonly groups: readonly RenderedGroup[];
  /** All loaded messages are drawn. */
  readonly isComplete: boolean;
}

/**
 * Draws the loaded messages from the newest back, in small steps, without moving what is on screen. The time to open a
 * conversation therefore does not depend on the number of loaded messages. A group is an element with `data-group`, a
 * message one with `data-row`.
 * @param wantedId message that the user waits for: drawn immediately once loaded
 */
export function useRenderedMessages(
  messages: readonly ChatMessage[],
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  wantedId: string | null = null,
): DrawnMessages {
  const [starts, setStarts] = useState<readonly [GroupStart, ...GroupStart[]]>(() => [
    { key: 0, firstId: messages.at(-FIRST_MESSAGES)?.id ?? messages[0]?.id },
  ]);
  const [top, ...others] = starts;
  const index = messages.findIndex(({ id }) => id === top.firstId);
  const first = Math.max(0, index);
  // The list was empty, or the first drawn message was sent from here and now has its stored id.
  if (index === -1 && messages[0] && messages[0].id !== top.firstId)
    setStarts([{ ...top, firstId: messages[0].id }, ...others]);

  const groups = groupsOf(messages.slice(first), starts);
  const isFull = top.key === 0 || (groups[0]?.messages.length ?? 0) >= GROUP_SIZE;
  const wanted = wantedId === null ? -1 : messages.findIndex(({ id }) => id === wantedId);
  const isAwaited = wanted !== -1 && wanted < first;
  const nextId =
    first === 0 ? undefined : messages[Math.max(0, first - (isAwaited ? MESSAGES_PER_LEAP : MESSAGES_PER_STEP))]?.id;

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
        if (!element || isAwaited || !holdsOn(element)) return draw();
        // Input and frames have priority, but not for long; if the reader scrolls to the top, the step is drawn
        // immediately.
        startTransition(() => setStarts(next));
        timer = setTimeout(draw, LONGEST_DELAY_MS);
        element.addEventListener('scroll', () => holdsOn(element) || draw(), { passive: true, signal: over.signal });
      },
      isAwaited ? 0 : PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [nextId, isFull, isAwaited, starts, scroller, content]);

  return { groups, isComplete: first === 0 };
}

function groupsOf(drawn: readonly ChatMessage[], starts: readonly GroupStart[]): RenderedGroup[] {
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

/** True if the browser's scroll anchoring works: some browsers support it, but not at the very top. */
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
 * Once its height is known, the browser need not render a group off screen. It does not jump when it comes into view,
 * and its text stays searchable and readable for screen readers.
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
