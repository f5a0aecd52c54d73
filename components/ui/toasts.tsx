import { toast, Toaster, useSonner } from 'sonner';
import { messageOf } from '#components/api/api-error';
import { strings } from '#components/words';
import { type CSSProperties, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { useMediaQuery } from '#components/ui/hooks';

/** Tells the user that a request failed, and why. */
export function reportFailure(error: unknown): void {
  toast.error(strings.common.failed(messageOf(error)));
}

/** Long enough to read what was done, and to reach the button by keyboard; ms. */
const ACTION_MS = 12_000;

interface ToastOptions {
  /** Toasts with the same id replace each other. */
  readonly id?: string;
}

/** A word that something was done, with a button: mostly the way back. That its action failed is told, too. */
export function toastWithAction(
  message: string,
  label: string,
  action: () => void | Promise<void>,
  options: ToastOptions = {},
): void {
  let isTaken = false;
  const run = async () => {
    // A second click, while the toast leaves.
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

/** For `onInteractOutside` of a dialog: keeps it open while a toast above it is used. */
export function keepOpenForToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest('[data-sonner-toast]')) event.preventDefault();
}

/** Long enough to read two lines that came up while one looked elsewhere; ms. */
const READING_MS = 6_000;
/** Height of a toast before it is measured, its largest width, and the space around it; pixels. */
const HEIGHT = 53;
const WIDTH = 480;
const AROUND = 8;
/** While there is a toast, what is around it may move or open: it is looked at again this often; ms. */
const LOOK_EVERY = 150;
/** Distance of the points at which it is looked for what lies under a toast; pixels. */
const GRID = 20;

/** Rectangle of a toast, from the left and the lower edge of the window; pixels. */
interface Place {
  readonly center: number;
  readonly bottom: number;
  readonly width: number;
}

interface Shown {
  /** Place of the toast; null: there is none. */
  readonly place: Place | null;
  /** The element that makes room for it; null: it floats. */
  readonly host: HTMLElement | null;
  /** Height of the toast. */
  readonly height: number;
}

/** Order in which places are taken: in a layer over the page, in the conversation, beside it. */
const ranks = { layer: 2, page: 1, beside: 0 };

/** Places for a toast, the last mounted first among those of one rank. */
let hosts: readonly { readonly element: HTMLElement; readonly rank: number }[] = [];
const NOTHING: Shown = { place: null, host: null, height: HEIGHT };
let shown = NOTHING;
const listeners = new Set<() => void>();

function show(next: Shown): void {
  const isSame = next.host === shown.host && next.height === shown.height;
  if (isSame && JSON.stringify(next.place) === JSON.stringify(shown.place)) return;
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const useShown = () =>
  useSyncExternalStore(
    subscribe,
    () => shown,
    () => NOTHING,
  );

const CONTROLS = 'a, button, input, textarea, select, iframe, [role=treeitem], [tabindex="0"]';
const LAYERS = '[role=dialog], [role=alertdialog], [role=menu], [data-radix-popper-content-wrapper]';

/** Elements on top of the page under a rectangle, toasts left out. */
function* elementsUnder({ center, bottom, width }: Place, height: number): Generator<Element> {
  const [left, top] = [center - width / 2, window.innerHeight - bottom - height];
  for (let x = left; x <= left + width; x += GRID)
    for (let y = top; y <= top + height; y += Math.min(GRID, height)) {
      const element = document.elementsFromPoint(x, y).find((each) => !each.closest('[data-sonner-toaster]'));
      if (element) yield element;
    }
}

/** Finds where a toast of this height lies on nothing: in a place that makes room for it, else over no control. */
function findPlace(height: number): Shown {
  const hasLayer = document.querySelector(LAYERS) !== null;
  for (const { element } of hosts) {
    const { left, bottom, width } = element.getBoundingClientRect();
    // Hidden, or scrolled out of sight.
    if (width === 0 || !element.checkVisibility() || bottom > window.innerHeight || bottom < height) continue;
    const place = {
      center: left + width / 2,
      bottom: window.innerHeight - bottom + AROUND,
      width: Math.min(width - 2 * AROUND, WIDTH),
    };
    // It makes room in its own layer; another may be open above it. To look under points is much work in a long page.
    const isCovered =
      hasLayer &&
      [...elementsUnder(place, height)].some((under) => {
        const layer = under.closest(LAYERS);
        return layer !== null && !layer.contains(element);
      });
    if (!isCovered) return { place, host: element, height };
  }
  const { innerWidth, innerHeight } = window;
  const width = Math.min(WIDTH, innerWidth - 2 * AROUND);
  const centers = [innerWidth / 2, AROUND + width / 2, innerWidth - AROUND - width / 2];
  const floating = [AROUND * 2, innerHeight - height - 2 * AROUND, (innerHeight - height) / 2]
    .flatMap((bottom) => centers.map((center) => ({ center, bottom, width })))
    .map((place) => ({
      place,
      covered: new Set([...elementsUnder(place, height)].map((under) => under.closest(CONTROLS)).filter(Boolean)).size,
    }));
  const best = floating.reduce((a, b) => (b.covered < a.covered ? b : a));
  return { place: best.place, host: null, height };
}

interface ToastPlaceProps {
  /** Default `page`. */
  readonly rank?: keyof typeof ranks;
}

/** Makes room for a toast while there is one, so that it lies on nothing. */
export function ToastPlace({ rank = 'page' }: ToastPlaceProps) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const { host, height } = useShown();
  useLayoutEffect(() => {
    if (!element) return undefined;
    hosts = [{ element, rank: ranks[rank] }, ...hosts].toSorted((a, b) => b.rank - a.rank);
    return () => {
      hosts = hosts.filter((each) => each.element !== element);
    };
  }, [element, rank]);
  const isTaken = host !== null && host === element;
  return (
    <div ref={setElement} aria-hidden className="shrink-0" style={{ height: isTaken ? height + 2 * AROUND : 0 }} />
  );
}

/** Shows one toast at a time, the newest, where it covers nothing. */
export function Toasts() {
  const { toasts } = useSonner();
  const isNeeded = toasts.length > 0;
  useEffect(() => {
    if (!isNeeded) return undefined;
    const look = () => {
      const front = document.querySelector<HTMLElement>('[data-sonner-toast][data-front="true"]');
      show(findPlace(front && front.offsetHeight > 0 ? front.offsetHeight : HEIGHT));
    };
    look();
    // As soon as the room that was made is there, and again and again.
    const frame = requestAnimationFrame(look);
    const timer = setInterval(look, LOOK_EVERY);
    window.addEventListener('resize', look);
    return () => {
      cancelAnimationFrame(frame);
      clearInterval(timer);
      window.removeEventListener('resize', look);
      show(NOTHING);
    };
  }, [isNeeded]);
  const { place } = useShown();
  // On a phone it is as wide as the page.
  const isWide = useMediaQuery('(min-width: 601px)');
  const style = place && isWide && ({ left: place.center, '--width': `${String(place.width)}px` } as CSSProperties);
  return (
    <Toaster
      position="bottom-center"
      visibleToasts={1}
      duration={READING_MS}
      {...(style && { style })}
      {...(place && { offset: { bottom: place.bottom }, mobileOffset: { bottom: place.bottom } })}
      toastOptions={{
        // Also above a dialog, which takes the pointer from everything else.
        className: 'pointer-events-auto !bg-ink !text-paper !border-0 !font-sans',
        classNames: { actionButton: '!bg-paper/15 !text-paper !font-medium' },
      }}
    />
  );
}
