'use client';

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
import { translator } from '#components/i18n.ts';
import { isTimeToLeave, checkpointState, checkpointTitle, stateWords } from '#components/history/checkpoint-words.ts';
import { lastChangeId } from '#components/history/checkpoints.ts';
import type { History } from '#components/history/use-history.ts';
import { RowList } from '#components/history/row-list';
import { IconButton } from '#components/ui/buttons';
import { CheckpointCard } from '#components/history/checkpoint-card';
import { dayAndTime } from '#components/ui/times.ts';
import { useNow } from '#components/ui/hooks.ts';
import { Popover } from '#components/ui/menus';
import { keepOpenForToasts, ToastPlace } from '#components/ui/dialogs/toasts';
import type { VirtualizerHandle } from 'virtua';
import type { Checkpoint } from '#server/core/conversation/history';
import { CheckpointMark } from '#components/history/checkpoint-mark';

const t = translator('history');

/** Height of a checkpoint on the line, including the distance to the next; pixels. */
const ROW = 26;
/** Interval at which the time since the last change is checked; milliseconds. */
const CLOCK_MS = 60_000;
/** Movement from which a press counts as a drag; pixels. A choice, not measured, like the next two. */
const DRAG_THRESHOLD = 4;
/** Distance from an edge within which the line scrolls under the pointer; pixels. */
const EDGE = 18;
/** Number of checkpoints that Page Up and Page Down move by. */
const PAGE_STEP = 10;

interface HistoryTimelineProps {
  readonly sessionId: string;
  readonly history: History;
  /** Checkpoint whose card is open; null: none. */
  readonly openId: string | null;
  readonly onOpen: (checkpointId: string | null) => void;
  /** Change after which the preview shows the site; null: the current state. */
  readonly point: string | null;
  /** Shows the site at a checkpoint; null: the current state. */
  readonly onShowPoint: (checkpoint: Checkpoint | null, path?: string) => void;
  /** Opens the search. */
  readonly onSearch: () => void;
  /** Opens `EndOfDayCard`, which is offered after a while without changes (`isTimeToLeave`). */
  readonly onWrapUp: () => void;
}

/**
 * A slim line next to the transcript with a checkpoint for each step. Dragging along it, or the arrow keys, shows the
 * earlier states of the site. A list for screen readers; only the visible checkpoints are in the document.
 */
export function HistoryTimeline({
  sessionId,
  history,
  openId,
  onOpen,
  point,
  onShowPoint,
  ...on
}: HistoryTimelineProps) {
  const { checkpoints } = history;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [activeId, setActiveId] = useState<string | null>(null);
  const hintId = useId();
  const now = useNow(CLOCK_MS);
  const drag = useRef<{ readonly y: number; isDragging: boolean; shown: number } | null>(null);
  const last = checkpoints.length - 1;
  const activeIndex = checkpoints.findIndex(({ id }) => id === activeId);
  /** Index of the checkpoint that Tab reaches. */
  const active = activeIndex === -1 ? last : activeIndex;

  const setCardOpen = useCallback(
    (id: string, isOpen: boolean) => {
      setActiveId(id);
      onOpen(isOpen ? id : null);
    },
    [onOpen],
  );

  const bringIntoView = (index: number) => list.current?.scrollToIndex(index, { align: 'nearest' });

  const openIndex = openId === null ? -1 : checkpoints.findIndex(({ id }) => id === openId);
  const showOpen = useEffectEvent(bringIntoView);
  useEffect(() => {
    if (openIndex !== -1) showOpen(openIndex);
  }, [openIndex]);

  /** Id of a checkpoint to focus once it can be focused: a row that is new in the document is hidden until measured. */
  const awaitsFocus = useRef<string | null>(null);
  const focusAwaited = (id: string | undefined) => {
    if (id === undefined || id !== awaitsFocus.current) return;
    const checkpoint = scroller.current?.querySelector<HTMLElement>(`[data-checkpoint="${CSS.escape(id)}"]`);
    checkpoint?.focus({ preventScroll: true });
    if (checkpoint && checkpoint === document.activeElement) awaitsFocus.current = null;
  };

  const moveTo = (index: number) => {
    const checkpoint = checkpoints[index];
    if (!checkpoint) return;
    bringIntoView(index);
    setActiveId(checkpoint.id);
    awaitsFocus.current = checkpoint.id;
    focusAwaited(checkpoint.id);
    onShowPoint(checkpoint);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -PAGE_STEP, PageDown: PAGE_STEP, Home: -checkpoints.length, End: checkpoints.length }[event.key]; // oxfmt-ignore
    if (event.key === 'Escape' && point !== null) {
      event.preventDefault();
      onShowPoint(null);
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
    return list.current?.findItemIndex(event.clientY - top + element.scrollTop) ?? 0;
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const at = drag.current;
    if (!at) return;
    if (!at.isDragging && Math.abs(event.clientY - at.y) < DRAG_THRESHOLD) return;
    if (!at.isDragging) event.currentTarget.setPointerCapture(event.pointerId);
    at.isDragging = true;
    const index = indexAt(event);
    const checkpoint = checkpoints[index];
    if (!checkpoint || at.shown === index) return;
    at.shown = index;
    setActiveId(checkpoint.id);
    onShowPoint(checkpoint);
  };

  return (
    <nav
      aria-label={t('label')}
      className="hidden w-9 shrink-0 flex-col border-l border-rule bg-paper min-[900px]:flex"
    >
      <div ref={scroller} className="relative min-h-0 flex-1 touch-none overflow-y-auto [scrollbar-width:none]">
        <RowList
          ref={list}
          rows={checkpoints}
          rowHeight={ROW}
          scroller={scroller}
          keptIndex={active}
          onRowShown={(index) => focusAwaited(checkpoints[index]?.id)}
          aria-label={t('label')}
          aria-describedby={hintId}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => {
            if (event.button === 0) drag.current = { y: event.clientY, isDragging: false, shown: -1 };
          }}
          onPointerMove={onPointerMove}
          onPointerUp={() => (drag.current = null)}
          onPointerCancel={() => (drag.current = null)}
          className="min-h-full cursor-row-resize before:absolute before:inset-y-0 before:left-1/2 before:w-0.5 before:-translate-x-1/2 before:bg-rule"
        >
          {(checkpoint, index) => (
            <div key={checkpoint.id} style={{ height: ROW }} className="flex items-center justify-center">
              <TimelineCheckpoint
                sessionId={sessionId}
                checkpoint={checkpoint}
                isActive={index === active}
                isShown={point !== null && lastChangeId(checkpoint) === point}
                isOpen={checkpoint.id === openId}
                onOpenChange={setCardOpen}
                onShowPoint={onShowPoint}
              />
            </div>
          )}
        </RowList>
      </div>
      <p id={hintId} className="sr-only">
        {t('hint')}
      </p>
      {isTimeToLeave(checkpoints, now) && (
        <IconButton label={t('leave.open')} icon={<Moon aria-hidden />} onClick={on.onWrapUp} className="m-0.5" />
      )}
      <IconButton label={t('search.label')} icon={<Search aria-hidden />} onClick={on.onSearch} className="m-0.5" />
    </nav>
  );
}

interface TimelineCheckpointProps {
  readonly sessionId: string;
  readonly checkpoint: Checkpoint;
  /** True for the checkpoint that Tab reaches. */
  readonly isActive: boolean;
  /** True if the preview shows the site at this checkpoint. */
  readonly isShown: boolean;
  readonly isOpen: boolean;
  readonly onOpenChange: (checkpointId: string, isOpen: boolean) => void;
  readonly onShowPoint: (checkpoint: Checkpoint | null, path?: string) => void;
}

/**
 * A checkpoint on the line. Memoized, because rendering all visible ones on every wheel event would make scrolling
 * stutter.
 */
const TimelineCheckpoint = memo(function TimelineCheckpoint({
  sessionId,
  checkpoint,
  isActive,
  isShown,
  isOpen,
  ...on
}: TimelineCheckpointProps) {
  const state = checkpointState(checkpoint);
  const name = t('checkpoint', {
    when: dayAndTime(checkpoint.at),
    title: checkpointTitle(checkpoint),
    changes: checkpoint.changes.length,
    state: stateWords(state) === '' ? 'none' : stateWords(state),
  });
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={(next) => on.onOpenChange(checkpoint.id, next)}
      trigger={
        <button
          type="button"
          data-checkpoint={checkpoint.id}
          data-state-of={state}
          tabIndex={isActive ? 0 : -1}
          aria-current={isShown ? 'step' : undefined}
          title={name}
          className="group relative flex size-6 items-center justify-center rounded-full outline-none focus-visible:ring-2 focus-visible:ring-accent"
        >
          <span className="sr-only">{name}</span>
          <CheckpointMark checkpoint={checkpoint} state={state} isShown={isShown} />
        </button>
      }
      side="left"
      align="center"
      sideOffset={4}
      onInteractOutside={keepOpenForToasts}
      aria-label={t('card.label', { when: dayAndTime(checkpoint.at) })}
      className="z-30! flex max-h-[min(34rem,calc(100dvh-2rem))] w-[min(24rem,calc(100vw-4rem))] flex-col outline-none"
    >
      <div className="min-h-0 overflow-y-auto p-4">
        <CheckpointCard
          sessionId={sessionId}
          checkpoint={checkpoint}
          onClose={() => on.onOpenChange(checkpoint.id, false)}
          onLeave={() => on.onOpenChange(checkpoint.id, false)}
          onShow={(path) => {
            on.onOpenChange(checkpoint.id, false);
            on.onShowPoint(checkpoint, path);
          }}
        />
      </div>
      <ToastPlace rank="layer" />
    </Popover>
  );
});
