import { type CSSProperties, type FocusEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { atom } from 'nanostores';
import { toast, Toaster, useSonner } from 'sonner';
import { translator } from '#components/i18n.ts';
import { messageOf } from '#components/api/api-error.ts';
import { refocus } from '#components/ui/focus/focus.ts';
import { useMediaQuery, useStore } from '#components/ui/hooks.ts';

const t = translator('shared');

/** Shows a toast that a request failed, and why. */
export function reportFailure(error: unknown): void {
  toast.error(t('common.failed', { reason: messageOf(error) }));
}

/** Display time of a toast with a button, long enough to reach the button by keyboard; ms. */
const ACTION_MS = 12_000;

interface ToastOptions {
  /** Toasts with the same id replace each other. */
  readonly id?: string;
}

/** A toast with a button, mostly for undo. Also reports a failure of its action. */
export function toastWithAction(
  message: string,
  label: string,
  action: () => void | Promise<void>,
  options: ToastOptions = {},
): void {
  let isTaken = false;
  const run = async () => {
    // A second click while the toast disappears.
    if (isTaken) return;
    isTaken = true;
    try {
      await action();
    } catch (error) {
      reportFailure(error);
    }
  };
  toast(message, { ...options, duration: ACTION_MS, action: { label, onClick: () => void run() } });
}

/** For `onInteractOutside` of a dialog: keeps it open while the user operates a toast above it. */
export function keepOpenForToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest('[data-sonner-toast]')) event.preventDefault();
}

/** Height of a toast before it is measured: one line of text; pixels. */
const INITIAL_HEIGHT = 53;
/** Distance of a toast from the elements around it; pixels. */
const MARGIN = 8;

/** Rectangle of a toast, from the left and the lower edge of the window; pixels. */
interface Place {
  readonly center: number;
  readonly bottom: number;
  readonly width: number;
}

/** Where the toast is. */
interface ToastPosition {
  /** Position of the toast; null if none is displayed. */
  readonly place: Place | null;
  /** The element that reserves space for it; null: it floats. */
  readonly host: HTMLElement | null;
  /** Height of the toast. */
  readonly height: number;
}

/** Priority of places: a layer over the page, the conversation, next to the conversation. */
const ranks = { layer: 2, page: 1, beside: 0 };

/** Elements that can reserve space for a toast, best first; within a rank, the last mounted first. */
let toastPlaces: readonly { readonly element: HTMLElement; readonly rank: number }[] = [];
const NO_TOAST: ToastPosition = { place: null, host: null, height: INITIAL_HEIGHT };
const position = atom(NO_TOAST);

/** Publishes the position of the toast, for the elements that reserve space for it. */
function publishPosition(next: ToastPosition): void {
  const { place, host, height } = position.get();
  const isSame = next.host === host && next.height === height;
  if (!isSame || JSON.stringify(next.place) !== JSON.stringify(place)) position.set(next);
}

interface ToastPlaceProps {
  /** Default `page`. */
  readonly rank?: keyof typeof ranks;
}

/** Reserves space while a toast is displayed, so that it covers nothing. */
export function ToastPlace({ rank = 'page' }: ToastPlaceProps) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const { host, height } = useStore(position);
  useLayoutEffect(() => {
    if (!element) return undefined;
    toastPlaces = [{ element, rank: ranks[rank] }, ...toastPlaces].toSorted((a, b) => b.rank - a.rank);
    return () => {
      toastPlaces = toastPlaces.filter((each) => each.element !== element);
    };
  }, [element, rank]);
  const isTaken = host !== null && host === element;
  return (
    <div ref={setElement} aria-hidden className="shrink-0" style={{ height: isTaken ? height + 2 * MARGIN : 0 }} />
  );
}

/** Display time of a toast, long enough to read two lines after looking elsewhere; ms. */
const READING_MS = 6_000;
/** Largest width of a toast; pixels. */
const WIDTH = 480;
/** While a toast is displayed, elements around it may move or open: its position is checked this often; ms. */
const POLL_INTERVAL_MS = 150;
/** Distance of the points at which elements under a toast are searched; pixels. */
const GRID = 20;

/** Elements that a toast should not cover. */
const CONTROLS = 'a, button, input, textarea, select, iframe, [role=treeitem], [tabindex="0"]';
/** Layers over the page. */
const LAYERS = '[role=dialog], [role=alertdialog], [role=menu], [data-radix-popper-content-wrapper]';

/** Topmost elements of the page under a rectangle, without toasts. */
function* elementsUnder({ center, bottom, width }: Place, height: number): Generator<Element> {
  const [left, top] = [center - width / 2, window.innerHeight - bottom - height];
  for (let x = left; x <= left + width; x += GRID)
    for (let y = top; y <= top + height; y += Math.min(GRID, height)) {
      const element = document.elementsFromPoint(x, y).find((each) => !each.closest('[data-sonner-toaster]'));
      if (element) yield element;
    }
}

/**
 * Finds a position for a toast of this height where it covers nothing: in an element that reserves space for it, else
 * over no control.
 */
function findPlace(height: number): ToastPosition {
  const hasLayer = document.querySelector(LAYERS) !== null;
  for (const { element } of toastPlaces) {
    const { left, bottom, width } = element.getBoundingClientRect();
    // Hidden or scrolled out of view.
    if (width === 0 || !element.checkVisibility() || bottom > window.innerHeight || bottom < height) continue;
    const place = {
      center: left + width / 2,
      bottom: window.innerHeight - bottom + MARGIN,
      width: Math.min(width - 2 * MARGIN, WIDTH),
    };
    // The host reserves space in its own layer; another layer may cover it. Checking points is slow on a long page.
    const isCovered =
      hasLayer &&
      [...elementsUnder(place, height)].some((under) => {
        const layer = under.closest(LAYERS);
        return layer !== null && !layer.contains(element);
      });
    if (!isCovered) return { place, host: element, height };
  }
  const { innerWidth, innerHeight } = window;
  const width = Math.min(WIDTH, innerWidth - 2 * MARGIN);
  const centers = [innerWidth / 2, MARGIN + width / 2, innerWidth - MARGIN - width / 2];
  const floating = [MARGIN * 2, innerHeight - height - 2 * MARGIN, (innerHeight - height) / 2]
    .flatMap((bottom) => centers.map((center) => ({ center, bottom, width })))
    .map((place) => ({
      place,
      covered: new Set([...elementsUnder(place, height)].map((under) => under.closest(CONTROLS)).filter(Boolean)).size,
    }));
  const best = floating.reduce((a, b) => (b.covered < a.covered ? b : a));
  return { place: best.place, host: null, height };
}

/** Renders the toasts: one at a time, the newest, where it covers nothing. Mounted once for the whole app. */
export function ToastLayer() {
  const { toasts } = useSonner();
  const isNeeded = toasts.length > 0;
  useEffect(() => {
    if (!isNeeded) return undefined;
    const update = () => {
      const front = document.querySelector<HTMLElement>('[data-sonner-toast][data-front="true"]');
      publishPosition(findPlace(front && front.offsetHeight > 0 ? front.offsetHeight : INITIAL_HEIGHT));
    };
    update();
    // Once the space is reserved, and then periodically.
    const frame = requestAnimationFrame(update);
    const timer = setInterval(update, POLL_INTERVAL_MS);
    window.addEventListener('resize', update);
    return () => {
      cancelAnimationFrame(frame);
      clearInterval(timer);
      window.removeEventListener('resize', update);
      publishPosition(NO_TOAST);
    };
  }, [isNeeded]);
  const focus = useToastFocus();
  const { place } = useStore(position);
  // On a phone a toast is as wide as the page.
  const isWide = useMediaQuery('(min-width: 601px)');
  const style = place && isWide && ({ left: place.center, '--width': `${String(place.width)}px` } as CSSProperties);
  return (
    <div className="contents" {...focus}>
      <Toaster
        position="bottom-center"
        visibleToasts={1}
        duration={READING_MS}
        {...(style && { style })}
        {...(place && { offset: { bottom: place.bottom }, mobileOffset: { bottom: place.bottom } })}
        toastOptions={{
          // Works also above a dialog, which blocks the pointer everywhere else.
          className: 'pointer-events-auto !bg-ink !text-paper !border-0 !font-sans',
          classNames: { actionButton: '!bg-paper/15 !text-paper !font-medium' },
        }}
      />
    </div>
  );
}

/** Longer than Sonner needs to remove a toast from the page after it stops counting it; ms. */
const LEAVING_MS = 400;

/**
 * Returns the focus to its former element when a toast disappears with the focus in it. Sonner does so whenever the
 * focus leaves a toast: if the toast follows the last control, the Tab key is then stuck in a loop. Sonner does not do
 * it for elements that are marked to stay.
 * @returns handlers for the element around the toasts
 */
function useToastFocus() {
  /** The element that had the focus before, and the toast that has it now. */
  const former = useRef<{ readonly from: HTMLElement; readonly within: Element } | null>(null);
  // Runs on every render, that is, whenever a toast appears or disappears.
  useEffect(() => {
    const { current } = former;
    if (!current) return;
    const update = () => {
      if (current.within.isConnected || former.current !== current) return;
      former.current = null;
      refocus(() => current.from);
    };
    update();
    const timer = setTimeout(update, LEAVING_MS);
    return () => clearTimeout(timer);
  });
  return {
    onFocusCapture: ({ target, relatedTarget, currentTarget }: FocusEvent<HTMLElement>) => {
      target.dataset['dismissible'] = 'false';
      if (currentTarget.contains(relatedTarget)) return;
      const within = target.closest('[data-sonner-toast]');
      former.current = within && relatedTarget instanceof HTMLElement ? { from: relatedTarget, within } : null;
    },
    onFocus: ({ target }: FocusEvent<HTMLElement>) => {
      target.dataset['dismissible'] = 'true';
    },
    onBlur: ({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) => {
      if (!currentTarget.contains(relatedTarget)) former.current = null;
    },
  };
}
