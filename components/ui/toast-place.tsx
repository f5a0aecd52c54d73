import { type CSSProperties, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Toaster, useSonner } from 'sonner';
import { useMediaQuery } from '#components/ui/hooks';

/** Long enough to read two lines that came up while one looked elsewhere; ms. */
const READING_MS = 6_000;
/** Height of a toast before it is measured, and the space around it; pixels. */
const HEIGHT = 53;
const AROUND = 8;

interface Place {
  readonly center: number;
  /** From the lower edge of the window. */
  readonly bottom: number;
  readonly width: number;
}

let place: Place | null = null;
const listeners = new Set<() => void>();

function move(next: Place | null): void {
  if (JSON.stringify(next) === JSON.stringify(place)) return;
  place = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Makes room for a toast while there is one, so that it lies on nothing. Where no such place is on screen, toasts stand
 * at the foot of the page.
 */
export function ToastPlace() {
  const { toasts } = useSonner();
  const room = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(HEIGHT);
  const isNeeded = toasts.length > 0;

  useLayoutEffect(() => {
    const element = room.current;
    if (toasts.length === 0 || !element) return undefined;
    const measure = () => {
      const front = document.querySelector<HTMLElement>('[data-sonner-toast][data-front="true"]');
      if (front && front.offsetHeight > 0) setHeight(front.offsetHeight);
      const { left, bottom, width } = element.getBoundingClientRect();
      move(width === 0 ? null : { center: left + width / 2, bottom: window.innerHeight - bottom + AROUND, width });
    };
    // What is around moves it: a longer draft, a wider preview.
    const observer = new ResizeObserver(measure);
    for (let each: HTMLElement | null = element; each; each = each.parentElement) observer.observe(each);
    const frame = requestAnimationFrame(measure);
    measure();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      move(null);
    };
  }, [toasts]);

  return isNeeded ? <div ref={room} aria-hidden style={{ height: height + 2 * AROUND }} /> : null;
}

/** Shows one toast at a time: the newest, where there is a place for it. */
export function Toasts() {
  const at = useSyncExternalStore(
    subscribe,
    () => place,
    () => null,
  );
  // On a phone it is as wide as the page.
  const isWide = useMediaQuery('(min-width: 601px)');
  const style =
    at && isWide && ({ left: at.center, '--width': `${String(Math.min(at.width, 480))}px` } as CSSProperties);
  return (
    <Toaster
      position="bottom-center"
      visibleToasts={1}
      duration={READING_MS}
      {...(style && { style })}
      {...(at && { offset: { bottom: at.bottom }, mobileOffset: { bottom: at.bottom } })}
      toastOptions={{
        // Also above a dialog, which takes the pointer from everything else.
        className: 'pointer-events-auto !bg-ink !text-paper !border-0 !font-sans',
        classNames: { actionButton: '!bg-paper/15 !text-paper !font-medium' },
      }}
    />
  );
}
