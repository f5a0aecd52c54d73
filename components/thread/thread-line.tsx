'use client';

import clsx from 'clsx';
import { Moon, Search } from 'lucide-react';
import {
  type KeyboardEvent,
  memo,
  type PointerEvent,
  useCallback,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { isTimeToLeave, knotState, type KnotState, knotTitle, stateWords } from '#components/thread/knot-words';
import { pointOf, type Thread } from '#components/thread/use-thread';
import { useWindow } from '#components/thread/use-window';
import { threadStrings } from '#components/thread/words';
import { IconButton } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { dayAndTime } from '#components/ui/times';
import { useNow } from '#components/ui/hooks';
import { Popover } from '#components/ui/menus';
import { keepOpenForToasts, ToastPlace } from '#components/ui/toasts';
import type { Knot } from '#server/core/thread';

const KnotCard = fetchedLater(async () => (await import('#components/thread/knot-card')).KnotCard);

const say = threadStrings;
/** Height of a knot on the line, with the way to the next one; pixels. */
const ROW = 26;
/** Movement from which a press is a drag; pixels. */
const DRAG_FROM = 4;
/** Near an edge the line moves along under the pointer; pixels. */
const EDGE = 18;
const PAGE_STEP = 10;

interface ThreadLineProps {
  readonly sessionId: string;
  readonly thread: Thread;
  /** Knot whose card is open; null: none. */
  readonly openId: string | null;
  readonly onOpen: (knotId: string | null) => void;
  /** Change after which the preview shows the site; null: as it is now. */
  readonly point: string | null;
  /** Shows the site as it was at a knot; null: as it is now. */
  readonly onDraw: (knot: Knot | null, path?: string) => void;
  readonly onSearch: () => void;
  /** Opens the card for the end of the day. */
  readonly onLeave: () => void;
}

/**
 * A slim line beside the transcript with a knot for each step. Drawing along it, with the pointer or the arrow keys,
 * shows the site as it was. A list to screen readers; only the knots in view are in the document.
 */
export function ThreadLine({ sessionId, thread, openId, onOpen, point, onDraw, ...on }: ThreadLineProps) {
  const { knots } = thread;
  const scroller = useRef<HTMLDivElement>(null);
  const range = useWindow(scroller, knots.length, ROW);
  const [activeId, setActiveId] = useState<string | null>(null);
  const hintId = useId();
  const now = useNow(60_000);
  const drag = useRef<{ readonly y: number; isDragging: boolean; shown: number } | null>(null);
  const last = knots.length - 1;
  const found = knots.findIndex(({ id }) => id === activeId);
  const active = found === -1 ? last : found;

  const turnKnot = useCallback(
    (id: string, isOpen: boolean) => {
      setActiveId(id);
      onOpen(isOpen ? id : null);
    },
    [onOpen],
  );

  const bringIntoView = (index: number) => {
    const element = scroller.current;
    if (!element) return;
    const top = index * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW > element.scrollTop + element.clientHeight) element.scrollTop = top + ROW - element.clientHeight;
  };

  const openIndex = openId === null ? -1 : knots.findIndex(({ id }) => id === openId);
  const showOpen = useEffectEvent(bringIntoView);
  useEffect(() => {
    if (openIndex !== -1) showOpen(openIndex);
  }, [openIndex]);

  /** Knot that gets the focus as soon as it is drawn. */
  const wantsFocus = useRef<string | null>(null);
  useEffect(() => {
    const index = knots.findIndex(({ id }) => id === wantsFocus.current);
    if (activeId !== wantsFocus.current || index < range.start || index >= range.end) return;
    const knot = scroller.current?.querySelector<HTMLElement>(`[data-knot="${CSS.escape(activeId ?? '')}"]`);
    if (!knot) return;
    wantsFocus.current = null;
    knot.focus({ preventScroll: true });
  }, [knots, range, activeId]);

  const moveTo = (index: number) => {
    const knot = knots[index];
    if (!knot) return;
    bringIntoView(index);
    setActiveId(knot.id);
    wantsFocus.current = knot.id;
    onDraw(knot);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -PAGE_STEP, PageDown: PAGE_STEP, Home: -knots.length, End: knots.length }[event.key]; // prettier-ignore
    if (event.key === 'Escape' && point !== null) {
      event.preventDefault();
      onDraw(null);
    }
    if (step === undefined) return;
    event.preventDefault();
    moveTo(Math.min(last, Math.max(0, active + step)));
  };

  const indexAt = (event: PointerEvent) => {
    const element = scroller.current;
    if (!element) return 0;
    const { top, bottom } = element.getBoundingClientRect();
    if (event.clientY < top + EDGE) element.scrollTop -= ROW;
    if (event.clientY > bottom - EDGE) element.scrollTop += ROW;
    return Math.min(last, Math.max(0, Math.floor((event.clientY - top + element.scrollTop) / ROW)));
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const at = drag.current;
    if (!at) return;
    if (!at.isDragging && Math.abs(event.clientY - at.y) < DRAG_FROM) return;
    if (!at.isDragging) event.currentTarget.setPointerCapture(event.pointerId);
    at.isDragging = true;
    const index = indexAt(event);
    const knot = knots[index];
    if (!knot || at.shown === index) return;
    at.shown = index;
    setActiveId(knot.id);
    onDraw(knot);
  };

  return (
    <nav aria-label={say.label} className="hidden w-9 shrink-0 flex-col border-l border-rule bg-paper min-[900px]:flex">
      <div ref={scroller} className="relative min-h-0 flex-1 touch-none overflow-y-auto [scrollbar-width:none]">
        {/* The line itself. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys and drags go to its knots. */}
        <ol
          aria-label={say.label}
          aria-describedby={hintId}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => {
            if (event.button === 0) drag.current = { y: event.clientY, isDragging: false, shown: -1 };
          }}
          onPointerMove={onPointerMove}
          onPointerUp={() => (drag.current = null)}
          onPointerCancel={() => (drag.current = null)}
          style={{ height: knots.length * ROW }}
          className="relative min-h-full cursor-row-resize before:absolute before:inset-y-0 before:left-1/2 before:w-0.5 before:-translate-x-1/2 before:bg-rule"
        >
          {knots.slice(range.start, range.end).map((knot, offset) => {
            const index = range.start + offset;
            return (
              <li
                key={knot.id}
                aria-setsize={knots.length}
                aria-posinset={index + 1}
                style={{ top: index * ROW, height: ROW }}
                className="absolute inset-x-0 flex items-center justify-center"
              >
                <LineKnot
                  sessionId={sessionId}
                  knot={knot}
                  isActive={index === active}
                  isDrawn={point !== null && pointOf(knot) === point}
                  isOpen={knot.id === openId}
                  onOpenChange={turnKnot}
                  onDraw={onDraw}
                />
              </li>
            );
          })}
        </ol>
      </div>
      <p id={hintId} className="sr-only">
        {say.hint}
      </p>
      {isTimeToLeave(knots, now) && (
        <IconButton label={say.leave.open} icon={<Moon aria-hidden />} onClick={on.onLeave} className="m-0.5" />
      )}
      <IconButton label={say.search.label} icon={<Search aria-hidden />} onClick={on.onSearch} className="m-0.5" />
    </nav>
  );
}

interface LineKnotProps {
  readonly sessionId: string;
  readonly knot: Knot;
  /** Reached with Tab. */
  readonly isActive: boolean;
  readonly isDrawn: boolean;
  readonly isOpen: boolean;
  readonly onOpenChange: (knotId: string, isOpen: boolean) => void;
  readonly onDraw: (knot: Knot | null, path?: string) => void;
}

/** Drawn once while the line moves: forty of them at every turn of the wheel would make it stutter. */
const LineKnot = memo(function LineKnot({ sessionId, knot, isActive, isDrawn, isOpen, ...on }: LineKnotProps) {
  const state = knotState(knot);
  const name = say.knot(dayAndTime(knot.at), knotTitle(knot), knot.changes.length, stateWords(state));
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={(next) => on.onOpenChange(knot.id, next)}
      trigger={
        <button
          type="button"
          data-knot={knot.id}
          data-state-of={state}
          tabIndex={isActive ? 0 : -1}
          aria-current={isDrawn ? 'step' : undefined}
          title={name}
          className="group relative flex size-6 items-center justify-center rounded-full outline-none focus-visible:ring-2 focus-visible:ring-accent"
        >
          <span className="sr-only">{name}</span>
          <KnotMark knot={knot} state={state} isDrawn={isDrawn} />
        </button>
      }
      side="left"
      align="center"
      sideOffset={4}
      onInteractOutside={keepOpenForToasts}
      aria-label={say.card.label(dayAndTime(knot.at))}
      className="z-30! flex max-h-[min(34rem,calc(100dvh-2rem))] w-[min(24rem,calc(100vw-4rem))] flex-col outline-none"
    >
      <div className="min-h-0 overflow-y-auto p-4">
        <KnotCard
          sessionId={sessionId}
          knot={knot}
          onClose={() => on.onOpenChange(knot.id, false)}
          onLeave={() => on.onOpenChange(knot.id, false)}
          onShow={(path) => {
            on.onOpenChange(knot.id, false);
            on.onDraw(knot, path);
          }}
        />
      </div>
      <ToastPlace rank="layer" />
    </Popover>
  );
});

interface KnotMarkProps {
  readonly knot: Knot;
  readonly state: KnotState;
  readonly isDrawn: boolean;
}

/** Shape of a knot: a bead for an answer, a diamond for a hand, a bar for a summary; hollow where it is undone. */
export function KnotMark({ knot, state, isDrawn }: KnotMarkProps) {
  return (
    <span
      aria-hidden
      className={clsx(
        'relative block transition-transform group-hover:scale-125',
        knot.kind === 'summary' && 'h-1 w-4 rounded bg-ink-3',
        knot.kind === 'answer' && 'size-2.5 rounded-full border-2',
        knot.kind === 'hand' && 'size-2.5 rotate-45 border-2',
        knot.kind !== 'summary' && (state === 'undone' ? 'border-rule-strong bg-paper' : 'border-accent'),
        knot.kind !== 'summary' && state === 'standing' && 'bg-accent',
        knot.kind !== 'summary' && state === 'partly' && 'bg-paper',
        isDrawn && 'scale-125 ring-3 ring-accent/35',
      )}
    />
  );
}
