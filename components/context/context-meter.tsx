'use client';

import { Popover } from 'radix-ui';
import { useRef, useState } from 'react';
import type { PointerEvent } from 'react';
import useSWR from 'swr';
import { compactNow } from '#lib/chat/compact-now';
import { ContextDetails } from '#components/context/context-details';
import { ContextRing } from '#components/context/context-ring';
import { paths } from '#lib/api/api-client';
import type { SessionContext } from '#lib/api/api-client';
import type { ChatSession } from '#lib/chat/chat-session';
import { strings } from '#lib/strings';
import type { PruneData } from '#server/core/events';

/** Before it opens at a pointer that may only pass, and closes behind one that has left; ms. */
const OPEN_AFTER = 200;
const CLOSE_AFTER = 250;

interface ContextMeterProps {
  readonly session: ChatSession;
  /** The model of the next message; undefined: the session's. */
  readonly modelId: string | undefined;
  readonly lastPrune: PruneData | null;
  readonly isRunning: boolean;
  readonly isCompacting: boolean;
  /** The transcript is there: until then counting would only be in its way. */
  readonly isLoaded: boolean;
}

/** The context's filling level beside the composer; opens to its breakdown on hover, focus and click. */
export function ContextMeter({ session, modelId, lastPrune, isRunning, isCompacting, isLoaded }: ContextMeterProps) {
  const { data: context } = useSWR<SessionContext>(isLoaded ? paths.context(session.id, modelId) : null);
  const { isOpen, root, trigger, content } = usePeek();
  const label = context ? strings.context.meter(context.percentUsed) : strings.context.unknown;
  return (
    <Popover.Root {...root} open={isOpen}>
      <Popover.Trigger
        {...trigger}
        aria-label={label}
        className="flex h-8 items-center gap-1.5 rounded-md px-2 text-xs text-ink-2 tabular-nums hover:bg-ink/6"
      >
        <ContextRing percent={context?.percentUsed ?? null} />
        {context && `${String(Math.round(context.percentUsed))} %`}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          {...content}
          aria-label={strings.context.title}
          side="top"
          align="end"
          sideOffset={8}
          collisionPadding={12}
          className="z-40 max-h-(--radix-popover-content-available-height) w-80 animate-rise overflow-y-auto rounded-xl border border-rule bg-sheet p-4 shadow-sheet"
        >
          {context ? (
            <ContextDetails
              session={session}
              context={context}
              lastPrune={lastPrune}
              isCompacting={isCompacting}
              onCompact={isRunning ? null : () => void compactNow(session)}
            />
          ) : (
            <p className="text-sm text-ink-2">{strings.context.unknown}</p>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/**
 * A popover that a pointer or the keyboard's focus opens to look at, and a click to stay. Focus goes into it only on a
 * click: nobody who passes is held.
 */
function usePeek() {
  const [state, setState] = useState<'closed' | 'peek' | 'pinned'>('closed');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const isReturning = useRef(false);
  const later = (next: 'closed' | 'peek', delay: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState((now) => (now === 'pinned' ? now : next)), delay);
  };
  const enter = ({ pointerType }: PointerEvent) => {
    if (pointerType === 'mouse') later('peek', state === 'closed' ? OPEN_AFTER : 0);
  };
  const leave = ({ pointerType }: PointerEvent) => {
    if (pointerType === 'mouse') later('closed', CLOSE_AFTER);
  };
  const change = (next: 'closed' | 'peek' | 'pinned') => {
    clearTimeout(timer.current);
    setState(next);
  };
  return {
    isOpen: state !== 'closed',
    root: { onOpenChange: (open: boolean) => change(open ? 'pinned' : 'closed') },
    trigger: {
      ref: button,
      onPointerEnter: enter,
      onPointerLeave: leave,
      onFocus: () => {
        if (!isReturning.current && button.current?.matches(':focus-visible') && state === 'closed') change('peek');
      },
      onBlur: () => {
        if (state === 'peek') later('closed', 0);
      },
      onClick: (event: { preventDefault(): void }) => {
        event.preventDefault();
        change(state === 'pinned' ? 'closed' : 'pinned');
      },
    },
    content: {
      onPointerEnter: enter,
      onPointerLeave: leave,
      onOpenAutoFocus: (event: Event) => {
        if (state === 'peek') event.preventDefault();
      },
      onCloseAutoFocus: (event: Event) => {
        event.preventDefault();
        if (!document.activeElement || document.activeElement === document.body) {
          isReturning.current = true;
          button.current?.focus();
          isReturning.current = false;
        }
      },
    },
  };
}
