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
import type { ReadableAtom } from 'nanostores';
import useSWR from 'swr';

const never = () => () => undefined;

/** The value of a store. @param onServer the value on the server and during hydration; default: the present one */
export function useStore<Value>(store: ReadableAtom<Value>, onServer?: Value): Value {
  const subscribe = useCallback((listener: () => void) => store.listen(listener), [store]);
  return useSyncExternalStore(
    subscribe,
    () => store.get(),
    () => (onServer === undefined ? store.get() : onServer),
  );
}

/** False on the server and during hydration, then true. */
export function useIsMounted(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/**
 * Calls `start` while the page is visible, and the function that it returns once it is hidden. @returns function that
 * ends both
 */
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

/** Time after which the user counts as active without any input; ms. */
const ASSUMED_ACTIVE_AFTER = 5_000;
const activityEvents = ['pointerover', 'pointerdown', 'click', 'keydown', 'wheel'] as const;
let isTouched = false;

/** Calls back on the first event of each kind of user activity. @returns unsubscribe function */
function atFirstSign(listener: () => void): () => void {
  for (const name of activityEvents)
    window.addEventListener(name, listener, { once: true, capture: true, passive: true });
  return () => {
    for (const name of activityEvents) window.removeEventListener(name, listener, { capture: true });
  };
}

function onFirstActivity(listener: () => void): () => void {
  const touched = () => {
    isTouched = true;
    listener();
  };
  const stop = atFirstSign(touched);
  const timer = setTimeout(touched, ASSUMED_ACTIVE_AFTER);
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/**
 * False until the first user activity on the page (pointer, key, focus), or for 5 s: for content that only an active
 * user needs.
 */
export function useIsTouched(): boolean {
  return useSyncExternalStore(
    onFirstActivity,
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
 * The time (epoch ms, rounded down to whole intervals), updated every `interval` ms while mounted. Null on the server,
 * whose clock and time zone are not the reader's.
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

/** The value as of the last time that it was unchanged for `delay` ms. */
export function useSettled(value: string, delay: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return settled;
}

/**
 * True once a response of the API has arrived or failed, after which content below it no longer moves.
 * @param path null if it is not requested
 */
export function useAnswered(path: string | null): boolean {
  const { data, error } = useSWR<unknown, Error>(path);
  return path === null || data !== undefined || error !== undefined;
}

/** True from the first time `isTrue` is true, so that displayed content and its input are not removed again. */
export function useHasBeen(isTrue: boolean): boolean {
  const [hasBeen, setHasBeen] = useState(isTrue);
  if (isTrue && !hasBeen) setHasBeen(true);
  return isTrue || hasBeen;
}

/** The first `few` items of a list until `showAll` is called, and the number of the hidden ones. */
export function useFirst<Item>(items: readonly Item[], few: number) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? items : items.slice(0, few);
  return { shown, hidden: items.length - shown.length, showAll: () => setShowsAll(true) };
}

/** A dialog that is opened for a target, as `useOpened` returns it. */
export interface OpenedDialog<Target> {
  /** A new object for each opening; null: closed. */
  readonly opened: { readonly target: Target } | null;
  readonly open: (target: Target) => void;
  /**
   * Closes the opening that it was returned for: a late response closes the dialog that made the request, not one
   * opened since.
   */
  readonly close: () => void;
}

/** State of a dialog that is opened for a target, such as the row of a table. */
export function useOpened<Target = void>(): OpenedDialog<Target> {
  const [opened, setOpened] = useState<{ readonly target: Target } | null>(null);
  return {
    opened,
    open: (target) => setOpened({ target }),
    close: () => setOpened((now) => (now === opened ? null : now)),
  };
}

/**
 * For a field that shows `value`: takes over text typed before hydration, which the next render would remove.
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
