import { type CSSProperties, type FocusEvent, useEffect, useRef } from 'react';
import { toast, Toaster, useSonner } from 'sonner';
import { drawToasts } from '#components/toast';
import { refocus } from '#components/ui/focus';
import { useMediaQuery } from '#components/ui/hooks';
import { AROUND, HEIGHT, hosts, NOTHING, type Place, show, type Shown, useShown } from '#components/ui/toasts';

/** Long enough to read two lines that came up while one looked elsewhere; ms. */
const READING_MS = 6_000;
/** Largest width of a toast; pixels. */
const WIDTH = 480;
/** While there is a toast, what is around it may move or open: it is looked at again this often; ms. */
const LOOK_EVERY = 150;
/** Distance of the points at which it is looked for what lies under a toast; pixels. */
const GRID = 20;

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

/** Shows one toast at a time, the newest, where it covers nothing; those first that were said before it was there. */
export function ToastLayer() {
  const { toasts } = useSonner();
  useEffect(() => drawToasts(toast), []);
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
  const focus = useToastFocus();
  const { place } = useShown();
  // On a phone it is as wide as the page.
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
          // Also above a dialog, which takes the pointer from everything else.
          className: 'pointer-events-auto !bg-ink !text-paper !border-0 !font-sans',
          classNames: { actionButton: '!bg-paper/15 !text-paper !font-medium' },
        }}
      />
    </div>
  );
}

/** Longer than Sonner takes to remove a toast from the page, which it counts no more; ms. */
const LEAVING_MS = 400;

/**
 * Returns the focus to where it came from once a toast is gone with it. Sonner does so whenever the focus leaves a toast:
 * with the last control before it, that is a loop for the Tab key. It lets it be for what says that it stays.
 * @returns handlers for what is around the toasts
 */
function useToastFocus() {
  /** Where the focus came from, and the toast that it is in. */
  const former = useRef<{ readonly from: HTMLElement; readonly within: Element } | null>(null);
  // It is drawn again whenever one comes or goes.
  useEffect(() => {
    const { current } = former;
    if (!current) return;
    const look = () => {
      if (current.within.isConnected || former.current !== current) return;
      former.current = null;
      refocus(() => current.from);
    };
    look();
    const timer = setTimeout(look, LEAVING_MS);
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
