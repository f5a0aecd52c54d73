import {
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import useSWR from 'swr';

const never = () => () => undefined;

/** False on the server and while its HTML is taken over, true from then on. */
export function useIsMounted(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/** Calls `start` while the page can be seen, and what it returns as soon as it cannot. @returns ends both */
export function whileVisible(start: () => () => void): () => void {
  let stop: (() => void) | null = null;
  const update = () => {
    if (document.visibilityState === 'visible') {
      stop ??= start();
    } else {
      stop?.();
      stop = null;
    }
  };
  update();
  document.addEventListener('visibilitychange', update);
  return () => {
    document.removeEventListener('visibilitychange', update);
    stop?.();
  };
}

/** The page counts as touched after this time, untouched or not; ms. */
const UNTOUCHED = 5_000;
const signs = ['pointerover', 'pointerdown', 'click', 'keydown', 'wheel'] as const;
let isTouched = false;

/** Calls back at each kind of sign of somebody, at its first. @returns ends that */
export function atFirstSign(listener: () => void): () => void {
  for (const sign of signs) window.addEventListener(sign, listener, { once: true, capture: true, passive: true });
  return () => {
    for (const sign of signs) window.removeEventListener(sign, listener, { capture: true });
  };
}

function whenTouched(listener: () => void): () => void {
  const touched = () => {
    isTouched = true;
    listener();
  };
  const stop = atFirstSign(touched);
  const timer = setTimeout(touched, UNTOUCHED);
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/** False until the first sign of somebody at the page (pointer, key, focus), or 5 s: for what only they need. */
export function useIsTouched(): boolean {
  return useSyncExternalStore(
    whenTouched,
    () => isTouched,
    () => false,
  );
}

/** True if a media query matches; `false` on the server. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
    () => false,
  );
}

/**
 * The time (epoch ms, rounded down to whole intervals), renewed every `interval` ms while mounted. Null on the
 * server, whose clock and time zone are not the reader's.
 */
export function useNow(interval: number): number | null {
  const subscribe = useCallback(
    (listener: () => void) => {
      const timer = setInterval(listener, interval);
      return () => clearInterval(timer);
    },
    [interval],
  );
  return useSyncExternalStore(
    subscribe,
    () => Math.floor(Date.now() / interval) * interval,
    () => null,
  );
}

/** The value, once it has stayed the same for `delay` ms. */
export function useSettled(value: string, delay: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return settled;
}

/**
 * True once an answer of the API is there, or could not be had: what stands below what it fills keeps its place from then
 * on.
 * @param path null: it is not asked for
 */
export function useAnswered(path: string | null): boolean {
  const { data, error } = useSWR<unknown, Error>(path);
  return path === null || data !== undefined || error !== undefined;
}

/** True from when `isTrue` first is: what was shown then, and typed into it, is not taken away again. */
export function useHasBeen(isTrue: boolean): boolean {
  const [hasBeen, setHasBeen] = useState(isTrue);
  if (isTrue && !hasBeen) setHasBeen(true);
  return isTrue || hasBeen;
}

/** The first `few` items of a list until `showAll` is called. */
export function useFirst<Item>(items: readonly Item[], few: number) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? items : items.slice(0, few);
  return { shown, hidden: items.length - shown.length, showAll: () => setShowsAll(true) };
}

/** A dialog that is opened for something, as `useOpened` gives it. */
export interface OpenedDialog<Target> {
  /** A new object for each opening; null: closed. */
  readonly opened: { readonly target: Target } | null;
  readonly open: (target: Target) => void;
  /** Closes what was open when it was given out: a late answer closes the dialog that asked, not one opened since. */
  readonly close: () => void;
}

/** State of a dialog that is opened for a target. */
export function useOpened<Target = void>(): OpenedDialog<Target> {
  const [opened, setOpened] = useState<{ readonly target: Target } | null>(null);
  return {
    opened,
    open: (target) => setOpened({ target }),
    close: () => setOpened((now) => (now === opened ? null : now)),
  };
}

/**
 * For a field that shows `value`: takes over text typed before the page's scripts ran, which the next redraw would
 * remove.
 * @returns the field's `ref`
 */
export function useTypedEarlier(value: string, onChange: (value: string) => void): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  const take = useEffectEvent(() => {
    const typed = field.current?.value ?? value;
    if (typed !== value) onChange(typed);
  });
  useLayoutEffect(() => take(), []);
  return field;
}
