import { useEffect, useEffectEvent, useRef } from 'react';
import type { RefObject } from 'react';
import { Button } from '#components/ui/button';
import type { ChatSessionState } from '#lib/chat/chat-session';
import { strings } from '#lib/strings';

/** Earlier messages are asked for when the reader is this near to the first one; pixels. */
const AHEAD = 2_500;

const LABELS = {
  there: strings.transcript.earlier,
  loading: strings.transcript.loadingEarlier,
  failed: strings.transcript.retry,
};

interface EarlierMessagesProps {
  readonly state: ChatSessionState['earlier'];
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onShow: () => void;
}

/**
 * The upper end of the transcript: what comes before is shown as the reader gets near, or asks for it. What is below
 * stays where it is meanwhile, so it must not be what the browser holds on to.
 */
export function EarlierMessages({ state, scroller, onShow }: EarlierMessagesProps) {
  const row = useRef<HTMLDivElement>(null);
  const isPressed = useRef(false);
  const show = useEffectEvent(onShow);
  const isThere = state === 'there';

  useEffect(() => {
    const element = scroller.current;
    if (!isThere || !element) return undefined;
    const look = () => {
      const isHidden = element.clientHeight === 0;
      if (!isHidden && element.scrollTop < AHEAD) show();
    };
    // At first the transcript has yet to be scrolled to its end.
    const first = requestAnimationFrame(() => requestAnimationFrame(look));
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      cancelAnimationFrame(first);
      element.removeEventListener('scroll', look);
    };
  }, [isThere, scroller]);

  useEffect(() => {
    // The button that had the focus is gone.
    if (state === 'none' && isPressed.current) row.current?.focus();
  }, [state]);

  return (
    <div
      ref={row}
      tabIndex={-1}
      className="mb-9 flex h-9 items-center justify-center gap-3 text-sm text-ink-3 outline-none [overflow-anchor:none]"
    >
      {state === 'none' && strings.transcript.beginning}
      {state === 'failed' && <span>{strings.transcript.earlierFailed}</span>}
      {state !== 'none' && (
        <Button
          variant="ghost"
          aria-disabled={state === 'loading'}
          onClick={() => {
            isPressed.current = true;
            onShow();
          }}
        >
          {LABELS[state]}
        </Button>
      )}
    </div>
  );
}
